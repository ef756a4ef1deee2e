"""The log: envelopes chain, payloads stand apart, and anybody can check both from the database alone."""

from __future__ import annotations

import json
from typing import Any

from agent_platform import (
    OPENING,
    TRIP,
    Platform,
    agent,
    answered,
    asked,
    called,
    forked,
    human,
    opened,
    ran,
    replied,
)
from served import Rows

from service.model.chain import Envelope, commitment, genesis

ENVELOPE = set(Envelope.__slots__) - {"event_uid"} | {"uid"}
LINKS = {"hash", "branch_ref", "transcript_tokens", "transcript_items"}
CLIENTS_OWN = ("canary", "u-mia", "mia", TRIP, "main")


async def events(
    rows: Rows, platform: Platform, branch: str = "main", at: str = TRIP
) -> list[dict[str, Any]]:
    """Every event of one branch with its payload, in order."""
    return await rows(
        "MATCH (b:Branch {tenant_id: $t, conversation_id: $c, branch_id: $b}) "
        "MATCH (e:Event {branch_ref: b.branch_ref})-[:HAS_PAYLOAD]->(p:Payload) "
        "RETURN properties(e) AS envelope, properties(p) AS payload ORDER BY e.seq",
        t=platform.tenant_id,
        c=at,
        b=branch,
    )


def recomputed(envelope: dict[str, Any], previous_hash: str) -> str:
    """The hash of a stored envelope, computed here from its stored fields."""
    fields = {name: envelope.get("uid" if name == "event_uid" else name) for name in Envelope.__slots__}
    fields["subject_uids"] = tuple(fields["subject_uids"])
    assert fields["previous_hash"] == previous_hash
    return Envelope(**fields).hash()


async def branch(rows: Rows, platform: Platform, branch_id: str = "main") -> dict[str, Any]:
    [found] = await rows(
        "MATCH (b:Branch {tenant_id: $t, conversation_id: $c, branch_id: $b}) RETURN properties(b) AS b",
        t=platform.tenant_id,
        c=TRIP,
        b=branch_id,
    )
    return found["b"]


async def test_the_chain_of_a_branch_is_recomputed_from_the_database(platform: Platform, rows: Rows) -> None:
    await platform.recorded(*OPENING, asked("m1", "Hello"))
    await platform.recorded(ran("r1"), called("c1", run_id="r1"), answered("c1", {"seat": "12A"}))
    await platform.recorded(replied("m2", "12A", run_id="r1"))
    main = await branch(rows, platform)
    previous = genesis(platform.tenant_id, main["uid"])
    found = await events(rows, platform)
    assert [row["envelope"]["seq"] for row in found] == list(range(1, 9))
    for row in found:
        envelope, payload = row["envelope"], row["payload"]
        previous = recomputed(envelope, previous)
        assert envelope["hash"] == previous
        salt = bytes.fromhex(payload["salt"])
        assert len(salt) == 32
        assert envelope["payload_commitment"] == commitment(salt, payload["body"])
        assert payload["event_uid"] == envelope["uid"]
    assert main["head_hash"] == previous
    assert len({row["payload"]["salt"] for row in found}) == len(found)


async def test_a_forks_first_event_links_to_its_parents_event_at_the_cut_off(
    platform: Platform, rows: Rows
) -> None:
    await platform.recorded(*OPENING, *(asked(f"m{n}", "x") for n in range(4)), forked("early", at_seq=5))
    await platform.recorded(asked("e1", "x"), asked("e2", "x"), branch="early")
    await platform.recorded(forked("deep", parent="early", at_seq=6), forked("old", parent="early", at_seq=4))
    await platform.recorded(asked("d1", "x"), branch="deep")
    await platform.recorded(asked("o1", "x"), branch="old")
    hashes = {
        (name, row["envelope"]["seq"]): row["envelope"]["hash"]
        for name in ("main", "early", "deep", "old")
        for row in await events(rows, platform, name)
    }
    for name, seq, parent in (("early", 6, "main"), ("deep", 7, "early"), ("old", 5, "main")):
        first = (await events(rows, platform, name))[0]["envelope"]
        assert first["seq"] == seq
        assert recomputed(first, hashes[parent, seq - 1]) == first["hash"]


async def test_an_empty_fork_already_names_the_hash_it_will_go_on_from(
    platform: Platform, rows: Rows
) -> None:
    await platform.recorded(*OPENING, asked("m1", "x"), forked("early", at_seq=2))
    second = (await events(rows, platform))[1]["envelope"]
    assert (await branch(rows, platform, "early"))["head_hash"] == second["hash"]


async def test_an_envelope_holds_nothing_that_a_client_made(platform: Platform, rows: Rows) -> None:
    await platform.recorded(
        opened(title="canary", user_id="u-canary"),
        human("canary-mia", display_name="canary", agent="canary"),
        agent("canary-agent", parent_participant_id="canary-mia"),
        asked("canary-m", "canary", by="canary-mia", occurred_at="1999-01-01T00:00:00Z"),
        ran("canary-r", by="canary-agent", provider="canary", model="canary", error="canary"),
        called("canary-c", {"canary": "canary"}, tool="canary", by="canary-agent", batch_id="canary"),
        answered("canary-c", "canary", subject_ids=["u-canary-2"]),
        forked("canary-b", title="canary"),
    )
    found = await events(rows, platform)
    assert len(found) == 8
    for row in found:
        envelope = row["envelope"]
        assert envelope.keys() - LINKS - {"actor_uid"} == ENVELOPE - {"actor_uid"}
        assert "canary" not in json.dumps(envelope) and "1999-01" not in json.dumps(envelope)
        assert "canary" in row["payload"]["body"]


async def test_an_envelope_names_the_people_whose_data_it_holds(platform: Platform, rows: Rows) -> None:
    await platform.recorded(
        *OPENING,
        human("ben"),
        asked("m1", "x", by="ben"),
        asked("m2", "x", subject_ids=["u-cleo", "u-cleo"]),
        called("c1", subject_ids=["u-cleo"]),
        answered("c1", "about Cleo"),
        called("c2"),
        answered("c2", "x", subject_ids=["u-dora"]),
    )
    users = {
        row["uid"]: row["id"]
        for row in await rows(
            "MATCH (u:User {tenant_id: $t}) RETURN u.uid AS uid, u.user_id AS id", t=platform.tenant_id
        )
    }
    subjects = [
        sorted(users[uid] for uid in row["envelope"]["subject_uids"]) for row in await events(rows, platform)
    ]
    assert subjects == [
        ["u-mia"],
        ["u-mia"],
        ["u-mia"],
        ["u-ben", "u-mia"],
        ["u-ben", "u-mia"],
        ["u-cleo"],
        ["u-cleo"],
        ["u-cleo"],
        ["u-mia"],
        ["u-dora"],
    ]
    nodes = await rows(
        "MATCH (t:ToolCall {tenant_id: $t})-[:RESULTED_IN]->(a)<-[:DERIVED_FROM]-(m) "
        "RETURN a.subject_uids AS artifact, m.subject_uids AS memory ORDER BY t.seq",
        t=platform.tenant_id,
    )
    assert [[users[uid] for uid in row["artifact"]] for row in nodes] == [["u-cleo"], ["u-dora"]]
    assert [row["memory"] for row in nodes] == [row["artifact"] for row in nodes]


async def test_the_payload_is_the_event_as_it_was_sent(platform: Platform, rows: Rows) -> None:
    sent = [*OPENING, asked("m1", "Größe"), called("c1"), answered("c1", {"b": [1, None], "a": "x"})]
    await platform.recorded(*sent)
    assert [json.loads(row["payload"]["body"]) for row in await events(rows, platform)] == sent


async def test_running_totals_count_the_transcript_of_the_lineage(platform: Platform, rows: Rows) -> None:
    await platform.recorded(*OPENING, asked("m1", "one two three"))
    await platform.recorded(called("c1"), answered("c1", "four five"))
    await platform.recorded(forked("early", at_seq=4), forked("late"))
    await platform.recorded(asked("e1", "six"), branch="early")
    totals = [
        (row["envelope"]["transcript_items"], row["envelope"]["transcript_tokens"])
        for row in await events(rows, platform)
    ]
    assert [items for items, _ in totals] == [0, 0, 0, 1, 2, 3, 3, 3]
    assert [tokens for _, tokens in totals][:4] == [0, 0, 0, 3]
    main, early, late = [await branch(rows, platform, name) for name in ("main", "early", "late")]
    assert (main["transcript_items"], late["transcript_items"], early["transcript_items"]) == (3, 3, 2)
    assert late["transcript_tokens"] == main["transcript_tokens"] == totals[-1][1]
    assert early["transcript_tokens"] == 4
    assert (await platform.assembled(branch="early"))["tokens"]["full_transcript"] == 4
