"""What nobody waits for gives way: it rests after each unit while others are served, and only then."""

from __future__ import annotations

import asyncio

import pytest

from service.graph.driver import REST_MAX_S, Graph, Transaction, UnhurriedGraph


async def _one(tx: Transaction) -> int:
    found = await (await tx.run("RETURN 1 AS one")).single()
    assert found is not None
    return int(found["one"])


@pytest.fixture
def rests(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long was rested; the rests themselves are left out."""
    rested: list[float] = []

    async def noted(_: UnhurriedGraph, seconds: float) -> None:
        rested.append(seconds)

    monkeypatch.setattr(UnhurriedGraph, "_rest", noted)
    return rested


async def test_it_does_not_rest_while_nobody_else_is_served(graph: Graph, rests: list[float]) -> None:
    unhurried = UnhurriedGraph(graph)
    graph.used_at = float("-inf")
    assert await unhurried.read(_one) == 1
    written, bookmarks = await unhurried.write(_one)
    assert written == 1 and bookmarks
    assert rests == []


async def test_it_rests_after_each_unit_while_others_are_served(graph: Graph, rests: list[float]) -> None:
    unhurried = UnhurriedGraph(graph)
    await graph.read(_one)
    await unhurried.read(_one)
    await unhurried.write(_one)
    assert len(rests) == 2
    assert all(0 < rest <= REST_MAX_S for rest in rests)


async def test_those_who_do_not_wait_are_no_others_to_each_other(graph: Graph, rests: list[float]) -> None:
    graph.used_at = float("-inf")
    one, other = UnhurriedGraph(graph), UnhurriedGraph(graph)
    await asyncio.gather(*(each.read(_one) for each in (one, other)))
    assert rests == []
