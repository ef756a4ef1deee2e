"""A database that was restored from an older copy serves nobody until later erasures are done again."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import httpx
import pytest
from agent_platform import problem

from service.api.app import create_app
from service.api.services import Services
from service.clock import FixedClock
from service.errors import LedgerUnusable
from service.graph.driver import Graph
from service.graph.ledger_mark import advance_mark, read_mark
from service.ids import new_uid
from service.log.ledger import Ledger, LedgerEntry
from service.model.chain import stamp
from service.model.privacy import Destruction
from service.storage.blobs import Blobs
from service.usecases.check_ledger import CHECK_EVERY, CheckLedger
from service.usecases.know_erasures import KnownErasures
from service.usecases.manage_signing_key import load_signer
from service.wiring import wire

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Restored:
    """A service with a ledger and a mark of its own on the shared database."""

    def __init__(self, graph: Graph, folder: Path) -> None:
        self.graph, self.keys = graph, folder / "keys"
        self.ledger = Ledger(self.keys / "ledger.jsonl")
        self.clock = FixedClock(NOW)
        self.mark = f"ledger-{secrets.token_hex(8)}"
        known = KnownErasures(self.ledger, self.keys, self.mark)
        self.check = CheckLedger(graph, known, self.clock)

    def begin(self, what: Destruction = Destruction.ERASURE) -> LedgerEntry:
        return self.ledger.begin(
            load_signer(self.keys),
            tenant_id=new_uid(),
            request_uid=new_uid(),
            what=what,
            subject_uids=[new_uid()],
            plan_digest=None,
            at=stamp(NOW),
        )

    def end(self, begun: LedgerEntry) -> None:
        self.ledger.end(
            load_signer(self.keys),
            request_uid=begun.request_uid,
            counts={"events": 1},
            receipt_sha256=None,
            at=stamp(NOW),
        )

    async def carry_out(self, begun: LedgerEntry) -> None:
        await self.graph.write(partial(advance_mark, ledger_seq=begun.ledger_seq, name=self.mark))


@pytest.fixture
def restored(graph: Graph, tmp_path: Path) -> Restored:
    return Restored(graph, tmp_path)


@pytest.fixture
async def client(restored: Restored, graph: Graph, blobs: Blobs) -> AsyncIterator[httpx.AsyncClient]:
    services: Services = replace(wire(graph, blobs, secrets.token_bytes(32), None), ledger=restored.check)
    app = create_app(None)  # type: ignore[arg-type]
    app.state.services = services
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://service") as made:
        yield made


async def test_nothing_is_served_until_the_erasures_are_carried_out_again(
    restored: Restored, client: httpx.AsyncClient
) -> None:
    begun = restored.begin()
    restored.end(begun)
    found = problem(await client.get("/v1/events/x"), 503, "erasures_to_replay")
    assert "runtime-graph privacy replay" in found["detail"]
    problem(await client.post("/v1/tenants", json={}), 503, "erasures_to_replay")
    problem(await client.get("/health/ready"), 503, "erasures_to_replay")
    assert (await client.get("/health/live")).status_code == 200
    await restored.carry_out(begun)
    problem(await client.get("/health/ready"), 503, "erasures_to_replay")
    restored.clock.advance(CHECK_EVERY)
    assert (await client.get("/health/ready")).status_code == 200
    problem(await client.get("/v1/configuration"), 401, "unauthorized")


async def test_a_database_that_is_restored_while_the_service_runs_is_noticed(
    restored: Restored, client: httpx.AsyncClient
) -> None:
    first = restored.begin()
    await restored.carry_out(first)
    restored.end(first)
    assert (await client.get("/health/ready")).status_code == 200
    second = restored.begin()
    restored.end(second)
    restored.clock.advance(CHECK_EVERY - timedelta(microseconds=1))
    assert (await client.get("/health/ready")).status_code == 200
    restored.clock.advance(timedelta(microseconds=1))
    problem(await client.get("/v1/configuration"), 503, "erasures_to_replay")


async def test_what_is_under_way_or_goes_by_itself_keeps_nobody_out(restored: Restored) -> None:
    restored.begin()
    restored.end(restored.begin(Destruction.RETENTION))
    assert await restored.check() == []
    one, two = restored.begin(), restored.begin(Destruction.OFFBOARDING)
    restored.end(two)
    restored.end(one)
    assert await restored.check() == [one, two], "in the order in which they were begun"
    await restored.carry_out(one)
    assert await restored.check() == [two]


async def test_the_mark_never_goes_back(restored: Restored, graph: Graph) -> None:
    one, two = restored.begin(), restored.begin()
    for entry in (two, one, two):
        await restored.carry_out(entry)
    assert await graph.read(partial(read_mark, name=restored.mark)) == two.ledger_seq


@pytest.mark.parametrize("damage", ["missing", "cut", "changed"])
async def test_a_ledger_that_cannot_be_used_is_told_with_the_setting_that_names_it(
    restored: Restored, client: httpx.AsyncClient, damage: str
) -> None:
    begun = restored.begin()
    await restored.carry_out(restored.begin())
    restored.end(begun)
    assert await restored.check() == []
    path = restored.ledger.path
    lines = path.read_bytes().splitlines(keepends=True)
    match damage:
        case "missing":
            path.unlink()
        case "cut":
            path.write_bytes(lines[0])
        case _:
            path.write_bytes(b"".join([lines[0].replace(b"erasure", b"offboarding"), *lines[1:]]))
    said = "line 2" if damage == "changed" else "ledger_file"
    with pytest.raises(LedgerUnusable, match=said):
        await restored.check()
    problem(await client.get("/v1/configuration"), 503, "ledger_unusable")
