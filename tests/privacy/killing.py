"""Runners of people's requests in processes of their own, which are killed at random places.

RUNTIME_GRAPH_SLOW=1 kills at 100 places; the short lane at 15.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys

from service.embedded import Database
from service.graph.driver import Graph, Transaction
from service.usecases.erasure.custody import Custody

KILLS = 100 if os.environ.get("RUNTIME_GRAPH_SLOW") == "1" else 15
RUNNER = """
import asyncio, sys
from pathlib import Path
from service.clock import SystemClock
from service.graph.driver import Graph
from service.log.ledger import Ledger
from service.storage.blobs import Blobs
from service.storage.data_keys import DataKeys
from service.usecases.erasure.custody import Custody
from service.usecases.erasure.equip import equipped

async def main(uri, user, password, name, folder, mark, tenant_id, request_uid, way):
    keys = DataKeys(Path(folder) / "data-keys")
    blobs = Blobs.at((Path(folder) / "blobs").as_uri(), keys)
    ledger = Path(folder) / "ledger.jsonl"
    custody = Custody(blobs, keys, Ledger(ledger), Path(folder), None, {"ledger": ledger}, mark)
    async with Graph(uri, user, password, name) as graph:
        privacy = equipped(graph, custody, SystemClock(), b"s" * 32)
        print("ready", flush=True)
        await getattr(privacy.carrying_out, way)(tenant_id, request_uid)

asyncio.run(main(*sys.argv[1:]))
"""
FREE_LEASE = "MATCH (l:JobLease {name: 'privacy/' + $t}) DELETE l"


async def killed_after(
    seconds: float, server: Database, custody: Custody, tenant_id: str, uid: str, way: str = "erase"
) -> int:
    """Carry a request out in a process of its own, and kill that by SIGKILL so long after it began; answers
    how it ended. `way` is that of CarryOutRequests."""
    outside = [str(custody.keys_folder), custody.mark_name]
    arguments = [server.uri, server.user, server.password, server.name, *outside, tenant_id, uid, way]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", RUNNER, *arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    await process.stdout.readline()
    try:
        async with asyncio.timeout(seconds):
            await process.wait()
    except TimeoutError:
        process.send_signal(signal.SIGKILL)
    return await process.wait()


async def free_lease(graph: Graph, tenant_id: str) -> None:
    """What the lease of a dead runner becomes by itself, two minutes later."""

    async def work(tx: Transaction) -> None:
        await (await tx.run(FREE_LEASE, t=tenant_id)).consume()

    await graph.write(work)
