"""Units of work end as they say: done, not done, or unknown; and no message of the database gets out."""

from __future__ import annotations

import asyncio
import base64

import pytest
from bolt_cutter import bolt_cutter
from connecting import connected

from service.embedded import Database
from service.errors import (
    ConstraintBroken,
    HeadMoved,
    InvalidRequest,
    OutcomeUnknown,
    RuntimeGraphError,
    Unavailable,
)
from service.graph import driver
from service.graph.driver import Graph, Transaction, Work
from service.ids import new_uid

CREATE = "CREATE (:Tenant {tenant_id: $t, name: $t})"
WAIT_S = 20
FIND = "MATCH (t:Tenant {tenant_id: $t}) RETURN count(t) AS found"


async def test_a_write_is_seen_by_a_read_that_has_its_bookmarks(graph: Graph, tenant_id: str) -> None:
    _, bookmarks = await graph.write(creates(tenant_id))
    assert bookmarks and all(isinstance(one, str) for one in bookmarks)
    assert await found(graph, tenant_id, bookmarks) == 1


async def test_what_raises_in_a_unit_leaves_nothing_behind(graph: Graph, tenant_id: str) -> None:
    async def work(tx: Transaction) -> None:
        await creates(tenant_id)(tx)
        raise HeadMoved(7)

    with pytest.raises(HeadMoved):
        await graph.write(work)
    assert await found(graph, tenant_id) == 0


async def test_a_broken_constraint_is_named_and_the_value_is_not_said(graph: Graph, tenant_id: str) -> None:
    await graph.write(creates(tenant_id))
    with pytest.raises(ConstraintBroken) as broken:
        await graph.write(creates(tenant_id))
    assert broken.value.constraint in ("tenant_key", "tenant_name")
    assert tenant_id not in str(broken.value)
    assert broken.value.__cause__ is None
    assert broken.value.__suppress_context__


async def test_a_write_is_finished_after_its_caller_has_gone(graph: Graph, tenant_id: str) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def work(tx: Transaction) -> None:
        begun.set()
        await go_on.wait()
        await creates(tenant_id)(tx)

    caller = asyncio.create_task(graph.write(work))
    await begun.wait()
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    go_on.set()
    async with asyncio.timeout(WAIT_S):
        while not await found(graph, tenant_id):
            pass


async def test_closing_waits_for_writes_under_way(
    neo4j_server: Database, graph: Graph, tenant_id: str
) -> None:
    begun = asyncio.Event()

    async def work(tx: Transaction) -> None:
        begun.set()
        await creates(tenant_id)(tx)

    async with connected(neo4j_server) as other:
        caller = asyncio.create_task(other.write(work))
        await begun.wait()
        caller.cancel()
    assert await found(graph, tenant_id) == 1


@pytest.mark.parametrize("kind", ["read", "write"])
async def test_a_unit_that_takes_too_long_is_ended_and_nothing_is_written(
    graph: Graph, tenant_id: str, kind: str
) -> None:
    async def work(tx: Transaction) -> None:
        if kind == "write":
            await creates(tenant_id)(tx)
        await asyncio.Event().wait()

    with pytest.raises(Unavailable):
        await getattr(graph, kind)(work, timeout_s=0.2)
    assert await found(graph, tenant_id) == 0


@pytest.mark.parametrize("swallow", [True, False], ids=["commit lost", "answer lost"])
async def test_a_line_cut_during_a_commit_leaves_the_outcome_unknown(
    neo4j_server: Database, graph: Graph, tenant_id: str, swallow: bool
) -> None:
    async with bolt_cutter(neo4j_server.uri) as cutter, connected(neo4j_server, cutter.uri) as cut:
        cutter.armed, cutter.swallow = True, swallow
        with pytest.raises(OutcomeUnknown) as unknown:
            await cut.write(creates(tenant_id))
    assert cutter.cuts == 1, "it was not tried again"
    assert unknown.value.outcome == "unknown"
    assert await found(graph, tenant_id) == (0 if swallow else 1)


async def test_a_database_that_is_not_there_is_unavailable(neo4j_server: Database, tenant_id: str) -> None:
    async with bolt_cutter(neo4j_server.uri) as cutter:
        closed = cutter.uri
    async with connected(neo4j_server, closed) as nowhere:
        with pytest.raises(Unavailable):
            await nowhere.read(counts(tenant_id), timeout_s=2.0)


async def test_wrong_credentials_are_our_problem_and_not_the_callers(neo4j_server: Database) -> None:
    async with Graph(neo4j_server.uri, neo4j_server.user, new_uid(), neo4j_server.name) as stranger:
        with pytest.raises(Unavailable, match="own credentials"):
            await stranger.read(counts("x"))


async def test_a_bookmark_of_another_database_is_an_invalid_request(graph: Graph) -> None:
    with pytest.raises(InvalidRequest, match="Consistency-Token"):
        await graph.read(counts("x"), bookmarks=["made up"])


async def test_a_state_that_the_database_does_not_reach_is_not_waited_for_to_the_end_of_the_unit(
    graph: Graph, tenant_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, [bookmark] = await graph.write(creates(tenant_id))
    monkeypatch.setattr(driver, "BOOKMARKS_TIMEOUT_S", 0.2)
    with pytest.raises(Unavailable, match="Consistency-Token"):
        await graph.read(counts(tenant_id), bookmarks=[_ahead_of(bookmark)])
    monkeypatch.undo()
    assert await found(graph, tenant_id, [bookmark]) == 1


def _ahead_of(bookmark: str) -> str:
    """The same database's bookmark of a transaction far ahead: 16 bytes, a number, an empty list."""
    raw = base64.b64decode(bookmark.removeprefix("FB:") + "==")
    ahead = raw[:19] + bytes.fromhex("ca7fffffff") + raw[-1:]
    return "FB:" + base64.b64encode(ahead).decode().rstrip("=")


async def test_a_refused_statement_tells_its_code_and_no_value(graph: Graph) -> None:
    async def work(tx: Transaction) -> None:
        await (await tx.run("RETURN duration($secret) AS d", {"secret": "what Ada said"})).consume()

    with pytest.raises(RuntimeGraphError, match=r"Neo\.ClientError") as refused:
        await graph.read(work)
    assert "Ada" not in str(refused.value)


async def test_routing_works_as_well_as_a_direct_line(neo4j_server: Database, tenant_id: str) -> None:
    uri = neo4j_server.uri.replace("bolt://", "neo4j://")
    async with connected(neo4j_server, uri) as routed:
        _, bookmarks = await routed.write(creates(tenant_id))
        assert await found(routed, tenant_id, bookmarks) == 1


def creates(tenant_id: str) -> Work[None]:
    """A unit of work that creates a tenant."""

    async def work(tx: Transaction) -> None:
        await (await tx.run(CREATE, {"t": tenant_id})).consume()

    return work


def counts(tenant_id: str) -> Work[int]:
    """A unit of work that counts it."""

    async def work(tx: Transaction) -> int:
        record = await (await tx.run(FIND, {"t": tenant_id})).single(strict=True)
        return int(record["found"])

    return work


async def found(graph: Graph, tenant_id: str, bookmarks: list[str] | None = None) -> int:
    """How many there are of it."""
    return int(await graph.read(counts(tenant_id), bookmarks))
