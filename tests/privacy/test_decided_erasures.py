"""What an officer decides to erase goes with what it made, whether it was redacted before or not."""

from __future__ import annotations

import pytest
from agent_platform import answered, asked, called, claimed, human, replied
from officers import Office
from served import Rows
from three_people import (
    ALL,
    LARGE,
    PAYLOADS,
    WORDS,
    begun,
    gone,
    in_stretches,
    noted,
    plan_of,
    recorded,
)

from service.graph.driver import Graph


@in_stretches
async def test_an_officer_erases_a_message_a_claim_and_a_pin_that_were_redacted_twice(
    office: Office, graph: Graph, rows: Rows, seqs: int
) -> None:
    await begun(office)
    lou = human("lou")
    await recorded(office, lou)
    four = {"subject_ids": [*ALL["subject_ids"], "u-lou"]}
    text = f"u-mia and {WORDS['ben']} u-ben with {WORDS['kim']}"
    await recorded(office, replied("m1", text, **four))
    await recorded(office, claimed("cl1", {"message_id": "m1"}, text=f"Claim: {text}", **four))
    pin = {"kind": "pin", "pin_id": "p1", "participant_id": "agent", "pin_kind": "decision"}
    await recorded(office, {**pin, "text": text, **four})
    await recorded(office, asked("k1", "lou stays", "lou", subject_ids=["u-lou"]))
    for name in ("mia", "ben"):
        done = await office.erased(f"u-{name}", f"erase-{name}")
        assert done["state"] == "fulfilled", done
    uids = await plan_of(office, "kim")
    assert len(uids) == 3
    await gone(office, rows, graph, "kim", **dict.fromkeys(uids, "erase"))
    left = await rows("MATCH (m:Message {tenant_id: $t}) RETURN m.text AS text", t=office.platform.tenant_id)
    assert left == [{"text": "lou stays"}]


@in_stretches
async def test_an_officer_erases_a_note_that_was_redacted_before(
    office: Office, graph: Graph, rows: Rows, seqs: int
) -> None:
    await begun(office)
    await recorded(
        office,
        noted(0, ["mia", "ben", "kim"], fields={"a": f"u-mia sails with {WORDS['ben']}"}),
        noted(1, ["kim"], fields={"b": f"{WORDS['kim']} stays"}),
    )
    await gone(office, rows, graph, "mia", "ben", "kim")
    [uid] = await plan_of(office, "ben")
    await gone(office, rows, graph, "ben", "kim", **{uid: "erase"})


@in_stretches
async def test_an_officer_erases_a_result_that_was_redacted_before(
    office: Office, graph: Graph, rows: Rows, seqs: int
) -> None:
    await begun(office)
    await recorded(office, called("c1", {"for": "all"}, **ALL))
    await recorded(office, asked("k1", WORDS["kim"], "kim", subject_ids=["u-kim"]))
    await recorded(office, answered("c1", {"of": f"u-mia and {WORDS['ben']}"}, **ALL))
    await gone(office, rows, graph, "mia", "ben")
    events = await rows(PAYLOADS, t=office.platform.tenant_id)
    assert any(row["kind"] == "redaction" and WORDS["ben"] in row["body"] for row in events)
    [uid] = [
        row["uid"]
        for row in await rows(
            "MATCH (e:Event {tenant_id: $t, kind: 'redaction'})-[:HAS_PAYLOAD]->(p) "
            "WHERE p.body CONTAINS $word RETURN e.uid AS uid",
            t=office.platform.tenant_id,
            word=WORDS["ben"],
        )
    ]
    await gone(office, rows, graph, "ben", "kim", **{uid: "erase"})


@pytest.mark.parametrize("large", [False, True])
async def test_an_officer_erases_a_result_that_nobody_redacted(
    office: Office, graph: Graph, rows: Rows, large: bool
) -> None:
    await begun(office)
    more = "x" * LARGE if large else ""
    [_, _, uid] = await recorded(
        office,
        called("c1", {"for": "all"}, **ALL),
        asked("k1", WORDS["kim"], "kim", subject_ids=["u-kim"]),
        answered("c1", {"of": f"{WORDS['ben']}", "more": more}, **ALL),
    )
    await gone(office, rows, graph, "ben", "kim", **{uid: "erase"})


async def test_an_officer_erases_a_call_and_its_result_can_be_read(
    office: Office, graph: Graph, rows: Rows
) -> None:
    await begun(office)
    [uid, _, _] = await recorded(
        office,
        called("c1", {"for": WORDS["ben"]}, **ALL),
        asked("k1", WORDS["kim"], "kim", subject_ids=["u-kim"]),
        answered("c1", {"of": "u-mia", "more": "x" * LARGE}, **ALL),
    )
    await gone(office, rows, graph, "ben", "kim", **{uid: "erase"})
