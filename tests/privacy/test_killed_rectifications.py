"""A runner that is killed while it puts things right: another one goes on, and there is one receipt."""

from __future__ import annotations

import random
import signal

import pytest
from agent_platform import OPENING, answered, asked, called, ran, replied
from killing import KILLS, free_lease, killed_after
from lives import texts_of
from officers import Office
from served import Rows

from service.embedded import Database
from service.graph.driver import Graph
from service.log.ledger import EntryKind
from service.usecases.manage_signing_key import trusted_keys

LONGEST_S = 1.0
"""A whole run takes about as long."""
OLD = ("Grünwald an der Isar", "Falscher Weg 77", "Noch falscher 78")


@pytest.mark.parametrize("seed", range(2))
async def test_a_rectification_that_is_killed_again_and_again_ends_once(
    office: Office, graph: Graph, rows: Rows, neo4j_server: Database, seed: int
) -> None:
    chance = random.Random(seed)
    await office.platform.recorded(
        *OPENING,
        asked("m1", f"I live in {OLD[0]}."),
        called("k1", {"at": OLD[1]}),
        answered("k1", {"street": OLD[2], "large": "x" * 20_000}),
        ran("r1"),
        replied("m2", "Noted.", run_id="r1"),
        asked("m3", "Good."),
    )
    await office.platform.compacted("c1")
    corrections = [
        {"event": {"message_id": "m1"}, "text": "I live in Bad Tölz."},
        {"event": {"call_id": "k1"}, "fields": {"arguments": {"at": "Tölz"}}},
        {"event": {"result_of": "k1"}, "fields": {"result": {"street": "Rechter Weg"}}},
    ]
    await office.asked("right", "u-mia", kind="rectification", corrections=corrections)
    plan = await office.previewed("right")
    await office.approved_and_left("right", plan["plan_digest"])
    folder, uid, tenant_id = office.custody.keys_folder, plan["uid"], office.platform.tenant_id
    ends = []
    for _ in range(KILLS // 3):
        pause = chance.uniform(0, LONGEST_S)
        ends.append(await killed_after(pause, neo4j_server, office.custody, tenant_id, uid, "rectify"))
        await free_lease(graph, tenant_id)
    assert -signal.SIGKILL in ends, "none of them was killed before it had ended"
    await office.privacy.carrying_out.rectify(tenant_id, uid)
    done = await office.read("right")
    assert (done["state"], done["stage"]) == ("fulfilled", "done"), done
    receipt = done["receipt"]
    assert receipt["nodes"] == plan["plan"]["counts"]["nodes"]
    assert (receipt["redacted"], receipt["derived"]) == (plan["plan"]["redacted"], plan["plan"]["derived"])
    text = await texts_of(rows, tenant_id)
    assert [one for one in OLD if one in text] == []
    entries = [one for one in office.custody.ledger.read(trusted_keys(folder)) if one.request_uid == uid]
    assert [entry.kind for entry in entries] == [EntryKind.BEGUN, EntryKind.ENDED]
    assert entries[1].counts["events"] == plan["plan"]["redacted"]
