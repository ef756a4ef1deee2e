"""Merging: a branch shows, as shared from elsewhere, what another one has beyond their common event."""

from __future__ import annotations

import json

from agent_platform import (
    OPENING,
    TRIP,
    Json,
    Platform,
    agent,
    answered,
    asked,
    called,
    forked,
    human,
    problem,
    ran,
    replied,
    section,
    shown,
)
from served import Rows


def merged(branch_id: str, seq: int) -> Json:
    return {"kind": "merge", "from_branch_id": branch_id, "from_seq": seq}


async def words(platform: Platform, branch: str = "main", **more: object) -> set[str]:
    """Which of the one-word messages a context of this branch shows."""
    context = await platform.assembled(6000, branch=branch, profile="thorough", **more)
    return {word for word in shown(context).split() if word.isupper() and word.isalpha() and len(word) > 3}


async def tried(platform: Platform) -> None:
    """main 1-6; `one`, forked at 4: INONE (5), a price looked up (6, 7), a run that saw it (8), LATE (9)."""
    await platform.recorded(*OPENING, asked("m4", "FOUR"), forked("one"), asked("m6", "SEVEN"))
    await platform.recorded(
        asked("o5", "INONE"),
        called("c6", {"seat": "12A"}),
        answered("c6", {"price": "ROWTWELVE"}),
        ran("r8"),
        asked("o9", "LATE"),
        branch="one",
    )


async def test_a_merge_shows_messages_and_memories_of_its_span_and_nothing_later(platform: Platform) -> None:
    await tried(platform)
    assert await words(platform) == {"FOUR", "SEVEN"}
    await platform.recorded(merged("one", 8))
    assert await words(platform) == {"FOUR", "SEVEN", "INONE", "ROWTWELVE"}
    await platform.recorded(asked("o10", "LATER"), branch="one")
    assert "LATE" not in await words(platform)
    await platform.recorded(merged("one", 10))
    assert await words(platform) == {"FOUR", "SEVEN", "INONE", "ROWTWELVE", "LATE", "LATER"}
    assert await words(platform, "one") == {"FOUR", "INONE", "ROWTWELVE", "LATE", "LATER"}


async def test_what_was_merged_stands_in_a_context_once_and_as_from_elsewhere(platform: Platform) -> None:
    await tried(platform)
    await platform.recorded(asked("w10", "WIDE", visibility="conversation"), branch="one")
    await platform.recorded(merged("one", 7), merged("one", 10))
    context = await platform.assembled(6000, profile="thorough")
    for word in ("INONE", "ROWTWELVE", "LATE", "WIDE"):
        assert shown(context).count(word) == 1
    recalled = section(context, "recalled_messages")["text"]
    assert "INONE" in recalled and "INONE" not in section(context, "recent_window")["text"]


async def test_a_merge_lets_nobody_see_what_is_private_to_others(platform: Platform) -> None:
    await platform.recorded(*OPENING, human("ben"), agent("rival"), forked("one"))
    await platform.recorded(
        asked("o1", "FORBEN", shared_with=["ben"]),
        asked("o2", "AUDITED", visibility="audit"),
        called("c1"),
        answered("c1", "AGENTSOWN"),
        ran("r1"),
        replied("o3", "TOALL"),
        branch="one",
    )
    await platform.recorded(merged("one", 11))
    assert await words(platform) == {"AGENTSOWN", "TOALL"}
    assert await words(platform, by="rival") == {"TOALL"}
    assert await words(platform, by="ben") == {"FORBEN", "TOALL"}


async def test_a_fork_after_the_merge_shows_it_and_a_fork_before_it_does_not(platform: Platform) -> None:
    await tried(platform)
    await platform.recorded(merged("one", 5), forked("after"), forked("before", at_seq=6), merged("one", 9))
    await platform.recorded(forked("last"), forked("heir", parent="after"))
    assert await words(platform, "after") == {"FOUR", "SEVEN", "INONE"} == await words(platform, "heir")
    assert await words(platform, "before") == {"FOUR", "SEVEN"}
    assert await words(platform, "last") == {"FOUR", "SEVEN", "INONE", "ROWTWELVE", "LATE"}


async def test_a_sibling_merges_a_sibling_with_what_that_inherits_beyond_them_both(
    platform: Platform,
) -> None:
    await tried(platform)
    await platform.recorded(forked("deep", parent="one", at_seq=5), forked("two", at_seq=4))
    await platform.recorded(asked("d6", "INDEEP"), branch="deep")
    await platform.recorded(merged("deep", 6), branch="two")
    assert await words(platform, "two") == {"FOUR", "INONE", "INDEEP"}


async def test_the_exact_result_of_a_merged_memory_is_one_access_away(platform: Platform) -> None:
    await tried(platform)
    body = {"conversation_id": TRIP, "participant_id": "agent"}
    problem(await platform.send("POST", "/v1/artifacts/c6/rehydrate", body), 404, "not_found")
    await platform.recorded(merged("one", 7))
    whole = await platform.send("POST", "/v1/artifacts/c6/rehydrate", body)
    assert json.loads(whole.json()["content"]) == {"price": "ROWTWELVE"}


async def test_an_assembly_of_before_the_merge_is_replayed_and_explained_without_it(
    platform: Platform,
) -> None:
    await tried(platform)
    before = (await platform.assembled())["assembly_id"]
    await platform.recorded(merged("one", 9))
    after = (await platform.assembled())["assembly_id"]
    for assembly_id in (before, after):
        replayed = await platform.send("POST", f"/v1/assemblies/{assembly_id}/replay")
        assert replayed.json()["same"], replayed.text
    told = (await platform.send("GET", f"/v1/assemblies/{before}/why-not/o5")).json()
    assert (told["included"], told["reason"]) == (False, "not_in_lineage")
    assert (await platform.send("GET", f"/v1/assemblies/{after}/why-not/o5")).json()["included"]


async def test_the_log_and_the_graph_name_both_parents(platform: Platform, rows: Rows) -> None:
    await tried(platform)
    await platform.recorded(merged("one", 7))
    [event] = await rows(
        "MATCH (e:Event {tenant_id: $t, kind: 'merge'})-[:HAS_PAYLOAD]->(p) "
        "MATCH (before:Event {branch_ref: e.branch_ref, seq: e.seq - 1}) "
        "RETURN p.body AS body, e.previous_hash = before.hash AS chained",
        t=platform.tenant_id,
    )
    assert event == {"body": event["body"], "chained": True}
    assert json.loads(event["body"]) == merged("one", 7)
    [edge] = await rows(
        "MATCH (b:Branch {tenant_id: $t})-[m:MERGES]->(s:Branch) "
        "RETURN b.branch_id AS branch, s.branch_id AS source, m.seq AS seq, m.cutoff AS cutoff",
        t=platform.tenant_id,
    )
    assert edge == {"branch": "main", "source": "one", "seq": 7, "cutoff": 7}


async def test_a_merge_that_would_show_nothing_or_something_that_is_not_there(platform: Platform) -> None:
    await tried(platform)
    await platform.recorded(forked("fresh"))
    for event, code, field in (
        (merged("nowhere", 5), "unknown_reference", "from_branch_id"),
        (merged("main", 5), "invalid_request", "from_branch_id"),
        (merged("one", 10), "invalid_request", "from_seq"),
        (merged("one", 4), "invalid_request", "from_seq"),
        (merged("fresh", 4), "invalid_request", "from_seq"),
        (merged("one", 0), "invalid_request", "from_seq"),
    ):
        refused = problem(await platform.record(event), 422, code)
        location = refused["location"] if "location" in refused else refused["errors"][0]["location"]
        assert location == f"events[0].{field}"
    refused = problem(await platform.record(forked("new"), merged("new", 1)), 422, "invalid_request")
    assert refused["errors"][0]["location"] == "events[1].from_branch_id"


async def test_merges_into_one_branch_are_bounded(platform: Platform) -> None:
    await platform.recorded(*OPENING, forked("one"))
    await platform.recorded(*(asked(f"o{n}", "x") for n in range(1000)), branch="one")
    await platform.recorded(asked("o1000", "x"), branch="one")
    await platform.recorded(*(merged("one", 4 + n) for n in range(1000)))
    refused = problem(await platform.record(merged("one", 1004)), 413, "limit_exceeded")
    assert (refused["maximum"], refused["unit"]) == (1000, "stretches")
    await platform.recorded(forked("heir"))
    problem(await platform.record(merged("one", 1004), branch="heir"), 413, "limit_exceeded")
    assert len((await platform.assembled(branch="heir", profile="thorough"))["sections"]) > 0


async def test_a_closed_branch_is_merged_into_another_and_takes_no_merge_itself(platform: Platform) -> None:
    await tried(platform)
    await platform.recorded({"kind": "close"}, branch="one")
    await platform.recorded(merged("one", 10))
    assert "INONE" in await words(platform)
    problem(await platform.record(merged("main", 7), branch="one"), 409, "branch_closed")
