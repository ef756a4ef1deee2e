"""What the transaction log has of deleted records goes within a minute; what the store keeps is told."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from service.clock import SystemClock
from service.embedded import EmbeddedNeo4j, Home
from service.graph.driver import Graph
from service.graph.migrations import migrate
from service.model.privacy import Window
from service.usecases.absence.needles import Needles
from service.usecases.absence.scan_files import scan_files
from service.usecases.absence.scan_graph import scan_graph
from service.usecases.checkpoint_store import checkpoint_store


async def test_after_it_the_transaction_log_holds_nothing_that_was_deleted(
    home: Path, described: Callable[[Path], EmbeddedNeo4j]
) -> None:
    logs = Home(home).transaction_logs
    needles = Needles.of(texts=[secrets.token_hex(400)])
    with described(home) as server:
        async with Graph(server.uri, server.username, server.password) as graph:
            await migrate(graph, SystemClock())
            await write(graph, "CREATE (:Message {uid: 'm', text: $text})", text=needles.texts[0])
            assert scan_files(needles, {"logs": logs}).unseen() == set()
            await write(graph, "MATCH (m:Message {uid: 'm'}) DELETE m")
            assert await checkpoint_store(graph, logs) == (Window.STORE_FILES, Window.INDEX_FILES)
            assert scan_files(needles, {"logs": logs}).absent
            assert (await scan_graph(graph, needles)).absent
            assert (await scan_graph(graph, Needles.of(texts=["checkpoint_store"]))).absent, "no filler stays"


async def test_without_access_to_files_every_window_is_told() -> None:
    graph = Graph("bolt://127.0.0.1:1", "nobody", "none")
    try:
        assert set(await checkpoint_store(graph, None)) == set(Window)
    finally:
        await graph.close()


async def write(graph: Graph, cypher: str, **params: Any) -> None:
    async def work(tx: Any) -> None:
        await (await tx.run(cypher, params)).consume()

    await graph.write(work)
