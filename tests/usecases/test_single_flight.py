"""What many ask at the same time is asked once: under load nobody reads again what another is reading."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from service.clock import SystemClock
from service.embedded import Database
from service.graph.driver import Graph, Work
from service.log.ledger import Ledger
from service.usecases.check_ledger import CheckLedger
from service.usecases.know_erasures import KnownErasures
from service.usecases.manage_keys import Keys
from service.usecases.single_flight import SingleFlight

MANY = 50


class Asked:
    """Answers the number of the call once it is let go."""

    def __init__(self) -> None:
        self.calls = 0
        self.called = asyncio.Event()
        self.let_go = asyncio.Event()

    async def __call__(self) -> int:
        self.calls += 1
        self.called.set()
        number = self.calls
        await self.let_go.wait()
        return number


class CountingGraph(Graph):
    """Counts the units that read."""

    reads = 0

    async def read(
        self, work: Work[Any], bookmarks: Sequence[str] | None = None, timeout_s: float = 30.0
    ) -> Any:
        self.reads += 1
        return await super().read(work, bookmarks, timeout_s)


@pytest.fixture
async def counting(neo4j_server: Database) -> AsyncIterator[CountingGraph]:
    async with CountingGraph(
        neo4j_server.uri, neo4j_server.user, neo4j_server.password, neo4j_server.name
    ) as made:
        yield made


async def test_those_who_come_while_it_is_asked_get_the_same_answer_and_the_next_asks_again() -> None:
    flight, asked = SingleFlight[str, int](), Asked()
    waiting = [asyncio.create_task(flight("one", asked)) for _ in range(MANY)]
    await asked.called.wait()
    other = asyncio.create_task(flight("other", asked))
    asked.let_go.set()
    assert await asyncio.gather(*waiting, other) == [1] * MANY + [2]
    assert await flight("one", asked) == 3


async def test_an_error_is_everybodys_and_is_not_kept() -> None:
    flight, asked = SingleFlight[None, int](), Asked()
    asked.let_go.set()

    async def fails_once() -> int:
        if await asked() == 1:
            raise LookupError
        return asked.calls

    answers = await asyncio.gather(*(flight(None, fails_once) for _ in range(MANY)), return_exceptions=True)
    assert [type(answer) for answer in answers] == [LookupError] * MANY
    assert await flight(None, fails_once) == 2


async def test_who_stops_waiting_leaves_the_others_their_answer() -> None:
    flight, asked = SingleFlight[None, int](), Asked()
    first, second = (asyncio.create_task(flight(None, asked)) for _ in range(2))
    await asked.called.wait()
    first.cancel()
    asked.let_go.set()
    assert await second == 1
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_requests_that_come_together_read_the_ledgers_mark_and_a_key_once(
    counting: CountingGraph, tmp_path: Path
) -> None:
    clock = SystemClock()
    known = KnownErasures(Ledger(tmp_path / "ledger.jsonl"), tmp_path, f"ledger-{secrets.token_hex(8)}")
    gate = CheckLedger(counting, known, clock)
    await asyncio.gather(*(gate.gate() for _ in range(MANY)))
    assert counting.reads == 1
    keys = Keys(counting, clock, secrets.token_bytes(32))
    made = await keys.create_tenant(f"test-{secrets.token_hex(8)}")
    before = counting.reads
    callers = await asyncio.gather(*(keys.recognise(made.api_key) for _ in range(MANY)))
    assert {caller.tenant_id for caller in callers} == {made.tenant_id}
    assert counting.reads - before == 1
