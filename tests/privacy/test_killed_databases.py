"""The database that is killed in the middle of an erasure and comes back: the erasure goes on, and ends once.

RUNTIME_GRAPH_SLOW=1 kills 100 times; the short lane 3 times, beside the 15 runners of test_killed_erasures.
"""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

from killing import free_lease
from lives import Canaries, live
from officers import custody_in, new_office, officer_of
from served import serve

from service.clock import SystemClock
from service.embedded import EmbeddedNeo4j, open_database
from service.errors import RuntimeGraphError
from service.graph.driver import UNIT_TIMEOUT_S, Graph, Transaction, Work
from service.graph.migrations import migrate
from service.log.ledger import EntryKind
from service.settings import Settings
from service.usecases.erasure.custody import Custody
from service.usecases.erasure.equip import equipped
from service.usecases.manage_signing_key import trusted_keys

SLOW = os.environ.get("RUNTIME_GRAPH_SLOW") == "1"
KILLS = 100 if SLOW else 3
MOMENTS = 120
"""Of a whole erasure, about; a moment that does not come kills nothing, and the erasure ends."""
LIVES_MAX = KILLS + 1
DEATH_S = 60.0
SECRET = b"s" * 32
TEXTS = "MATCH (n) WHERE n.tenant_id = $t RETURN properties(n) AS kept"
Result = TypeVar("Result")


class Mortal(Graph):
    """A connection to a database that is killed at one of its moments: before a unit of work, before its
    commit, after it."""

    def __init__(self, server: EmbeddedNeo4j) -> None:
        super().__init__(server.uri, server.username, server.password, server.database)
        self._server = server
        self.moment, self.killed = 0, False

    async def read(
        self, work: Work[Result], bookmarks: Sequence[str] | None = None, timeout_s: float = UNIT_TIMEOUT_S
    ) -> Result:
        self._pass()
        return await super().read(work, bookmarks, timeout_s)

    async def write(
        self, work: Work[Result], bookmarks: Sequence[str] | None = None, timeout_s: float = UNIT_TIMEOUT_S
    ) -> tuple[Result, list[str]]:
        async def unit(tx: Transaction) -> Result:
            result = await work(tx)
            self._pass()
            return result

        self._pass()
        answer = await super().write(unit, bookmarks, timeout_s)
        self._pass()
        return answer

    def _pass(self) -> None:
        self.moment -= 1
        java = self._server.home.running_pid()
        if self.moment == 0 and java is not None:
            os.kill(java, signal.SIGKILL)
            assert self._server.wait(DEATH_S) == 128 + signal.SIGKILL
            self.killed = True


async def test_an_erasure_whose_database_is_killed_again_and_again_ends_once(tmp_path: Path) -> None:
    settings, custody = Settings(data_folder=tmp_path / "data"), custody_in(tmp_path)
    chance, kills = random.Random(1), 0
    with ExitStack() as running:
        server = started(running, settings)
        for life in range(LIVES_MAX):
            new = Canaries()
            told = await waiting_erasure(server, custody, new, life)
            done = False
            while not done:
                async with Mortal(server) as graph:
                    await free_lease(graph, told["tenant_id"])
                    graph.moment = chance.randint(1, MOMENTS) if kills < KILLS else 0
                    privacy = equipped(graph, custody, SystemClock(), SECRET)
                    try:
                        done = await privacy.carrying_out.erase(told["tenant_id"], told["uid"])
                    except RuntimeGraphError:
                        assert graph.killed, "nothing else stops it"
                if graph.killed:
                    kills += 1
                    running.close()
                    server = started(running, settings)
            await ended_once(server, custody, new, told)
            if kills >= KILLS:
                break
    assert kills >= KILLS


def started(running: ExitStack, settings: Settings) -> EmbeddedNeo4j:
    server = running.enter_context(open_database(settings)).server
    assert server is not None
    return server


async def waiting_erasure(
    server: EmbeddedNeo4j, custody: Custody, new: Canaries, life: int
) -> dict[str, Any]:
    """A person in a fresh tenant with an approved erasure that nobody runs yet."""
    async with (
        Graph(server.uri, server.username, server.password, server.database) as graph,
    ):
        await migrate(graph, SystemClock())
        async with serve(graph, custody.blobs, custody=custody) as http:
            office = await new_office(http, custody)
            await live(office.platform, new)
            mia = next(one for one in new.all if "-user-" in one)
            await office.asked("erase", mia)
            plan = await office.previewed("erase")
            await office.approved_and_left("erase", plan["plan_digest"])
    return {**plan, "tenant_id": office.platform.tenant_id}


async def ended_once(server: EmbeddedNeo4j, custody: Custody, new: Canaries, told: dict[str, Any]) -> None:
    """One receipt with the counts of the preview, one begun and one ended entry, no residue."""
    async with Graph(server.uri, server.username, server.password, server.database) as graph:
        requests = equipped(graph, custody, SystemClock(), SECRET).requests
        done = await requests.read(officer_of(told["tenant_id"]), "erase")

        async def texts(tx: Transaction) -> str:
            return str(await (await tx.run(TEXTS, t=told["tenant_id"])).data())

        text = await graph.read(texts)
    assert (done["state"], done["stage"]) == ("fulfilled", "done"), done
    plan, receipt = told["plan"], done["receipt"]
    assert receipt["nodes"] == plan["counts"]["nodes"]
    assert receipt["edges"] == plan["counts"]["edges"]
    assert (receipt["redacted"], receipt["derived"]) == (plan["redacted"], plan["derived"])
    assert [one for one in new.all if one in text] == []
    entries = custody.ledger.read(trusted_keys(custody.keys_folder))
    kinds = [entry.kind for entry in entries if entry.request_uid == told["uid"]]
    assert kinds == [EntryKind.BEGUN, EntryKind.ENDED]
