"""A runner that is killed in the middle of an erasure: another one goes on, and there is one receipt."""

from __future__ import annotations

import random
import signal
from pathlib import Path

import pytest
from killing import KILLS, free_lease, killed_after
from lives import Canaries, live, texts_of
from officers import Office, custody_in
from served import Rows

from service.clock import SystemClock
from service.embedded import Database
from service.errors import KeysElsewhere
from service.graph.driver import Graph
from service.log.ledger import EntryKind
from service.usecases.erasure.equip import equipped
from service.usecases.manage_signing_key import trusted_keys

LONGEST_S = 1.5
"""A whole run takes about as long: later kills find it ended, which is a place too."""


@pytest.mark.parametrize("seed", range(3))
async def test_an_erasure_that_is_killed_again_and_again_ends_once(
    office: Office, graph: Graph, rows: Rows, neo4j_server: Database, seed: int
) -> None:
    chance = random.Random(seed)
    new = Canaries()
    await office.platform.configured({"privacy": {"recipients": ["Analytics Ltd", "Print Ltd"]}})
    await live(office.platform, new)
    mia = next(one for one in new.all if "-user-" in one)
    await office.asked("erase", mia)
    plan = await office.previewed("erase")
    await office.approved_and_left("erase", plan["plan_digest"])
    uid = plan["uid"]
    custody = office.custody
    ends: list[int] = []
    for _ in range(KILLS // 3):
        pause = chance.uniform(0, LONGEST_S)
        ends.append(await killed_after(pause, neo4j_server, custody, office.platform.tenant_id, uid))
        await free_lease(graph, office.platform.tenant_id)
    assert -signal.SIGKILL in ends, "none of them was killed before it had ended"
    await office.privacy.carrying_out.erase(office.platform.tenant_id, uid)
    done = await office.read("erase")
    assert (done["state"], done["stage"]) == ("fulfilled", "done"), done
    receipt = done["receipt"]
    assert receipt["nodes"] == plan["plan"]["counts"]["nodes"]
    assert (receipt["redacted"], receipt["derived"]) == (plan["plan"]["redacted"], plan["plan"]["derived"])
    assert done["notices"] == {"open": 2, "sent": 0}, "each recipient is to be told once"
    text = await texts_of(rows, office.platform.tenant_id)
    assert [one for one in new.all if one in text] == []
    entries = [e for e in custody.ledger.read(trusted_keys(custody.keys_folder)) if e.request_uid == uid]
    assert [entry.kind for entry in entries] == [EntryKind.BEGUN, EntryKind.ENDED]


async def test_a_service_with_other_keys_leaves_what_was_asked_to_whoever_has_them(
    office: Office, graph: Graph, tmp_path: Path
) -> None:
    new = Canaries()
    await live(office.platform, new)
    mia = next(one for one in new.all if "-user-" in one)
    plans = {}
    for kind in ("access", "erasure"):
        await office.asked(kind, mia, kind=kind)
        plans[kind] = (await office.previewed(kind)) if kind == "erasure" else await office.read(kind)
        await office.approved_and_left(kind, plans[kind]["plan_digest"])
    stranger = equipped(graph, custody_in(tmp_path), SystemClock(), b"s" * 32).carrying_out
    stranger.tenant_ids = {office.platform.tenant_id}
    before = [await office.read(kind) for kind in plans]
    with pytest.raises(KeysElsewhere):
        await stranger.erase(office.platform.tenant_id, plans["erasure"]["uid"])
    assert await stranger() == 0
    assert [await office.read(kind) for kind in plans] == before
    await office.privacy.carrying_out.note()
    await office.privacy.carrying_out.settled()
    assert {(await office.read(kind))["state"] for kind in plans} == {"fulfilled"}


async def test_an_export_of_an_erased_person_is_ended_by_whoever_had_the_keys(
    office: Office, graph: Graph, tmp_path: Path
) -> None:
    new = Canaries()
    await live(office.platform, new)
    mia = next(one for one in new.all if "-user-" in one)
    await office.asked("access", mia, kind="access")
    await office.approved_and_left("access", None)
    await office.asked("erasure", mia)
    plan = await office.previewed("erasure")
    await office.approved_and_left("erasure", plan["plan_digest"])
    assert await office.privacy.carrying_out.erase(office.platform.tenant_id, plan["uid"])
    before = await office.read("access")
    assert before["stage"] == "approved"
    stranger = equipped(graph, custody_in(tmp_path), SystemClock(), b"s" * 32).carrying_out
    stranger.tenant_ids = {office.platform.tenant_id}
    assert await stranger() == 0
    assert await office.read("access") == before
    await office.privacy.carrying_out.note()
    await office.privacy.carrying_out.settled()
    assert (await office.read("access"))["state"] == "expired"
