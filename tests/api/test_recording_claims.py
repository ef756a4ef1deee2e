"""Recording claims: each rests on what was recorded before it on its lineage, and the graph can be walked."""

from __future__ import annotations

import json
from typing import Any

import pytest
from agent_platform import (
    OPENING,
    Json,
    Platform,
    answered,
    asked,
    called,
    claimed,
    forked,
    problem,
    ran,
    shown,
)
from served import Rows

DOCUMENT = {"role": "document", "document": {"name": "policy.pdf", "sha256": "ab" * 32}}


async def edges(platform: Platform, rows: Rows) -> list[tuple[str, str, str, int]]:
    """What claims rest on: claim, role, label and part."""
    found = await rows(
        "MATCH (c:Claim {tenant_id: $t})-[r:RESTS_ON]->(n) "
        "RETURN c.claim_id AS claim, r.role AS role, labels(n)[0] AS label, r.part AS part "
        "ORDER BY claim, part",
        t=platform.tenant_id,
    )
    return [(one["claim"], one["role"], one["label"], one["part"]) for one in found]


async def test_a_claim_in_a_batch_with_all_that_it_rests_on_is_connected(
    platform: Platform, rows: Rows
) -> None:
    await platform.recorded(
        *OPENING,
        asked("m1", "How many?"),
        ran("r1"),
        called("c1", run_id="r1"),
        answered("c1", "x" * 20_000),
        claimed("k1", {"call_id": "c1"}, DOCUMENT, {"role": "message", "message_id": "m1"}),
        claimed(
            "k2",
            {"role": "claim", "claim_id": "k1"},
            {"role": "run", "run_id": "r1"},
            run_id="r1",
            message_id="m1",
            replaces_claim_id="k1",
            value=[1, {"é": None}],
        ),
    )
    assert await edges(platform, rows) == [
        ("k1", "query", "ToolArtifact", 0),
        ("k1", "message", "Message", 2),
        ("k2", "claim", "Claim", 0),
        ("k2", "run", "ModelRun", 1),
    ]
    [found] = await rows(
        "MATCH (r:ModelRun)-[:PRODUCED]->(c:Claim {tenant_id: $t})-[:REPLACES]->(o:Claim) "
        "MATCH (m:Message {uid: c.message_uid}) "
        "RETURN properties(c) AS c, o.claim_id AS old, r.run_id AS run, m.message_id AS message",
        t=platform.tenant_id,
    )
    assert (found["old"], found["run"], found["message"]) == ("k1", "r1", "m1")
    claim = found["c"]
    assert (claim["text"], claim["value"]) == ("It is so.", '[1,{"é":null}]')
    assert (claim["visibility"], claim["privacy_class"], claim["part"]) == ("participant", "internal", 0)


async def test_a_claim_of_a_later_batch_rests_on_the_answer_of_its_own_branch(
    platform: Platform, rows: Rows
) -> None:
    await platform.recorded(*OPENING, called("c1"), forked("one"), answered("c1", "in main"))
    await platform.recorded(answered("c1", "in one"), branch="one")
    await platform.recorded(claimed("k1", {"call_id": "c1"}), branch="one")
    await platform.recorded(claimed("k0", {"call_id": "c1"}))
    found = await rows(
        "MATCH (c:Claim {tenant_id: $t})-[:RESTS_ON]->(a:ToolArtifact) "
        "RETURN c.claim_id AS claim, a.result AS result ORDER BY claim",
        t=platform.tenant_id,
    )
    assert [(one["claim"], one["result"]) for one in found] == [("k0", "in main"), ("k1", "in one")]


@pytest.mark.parametrize("opened", [[], [answered("c1", call_status="deferred")]])
async def test_a_call_without_a_result_is_nothing_to_rest_on(platform: Platform, opened: list[Json]) -> None:
    await platform.recorded(*OPENING, called("c1"), *opened)
    refused = await platform.record(asked("m1", "x"), claimed("k1", DOCUMENT, {"call_id": "c1"}))
    [error] = problem(refused, 422, "invalid_request")["errors"]
    assert error["location"] == "events[1].rests_on[1].call_id"
    refused = await platform.record(claimed("k1", {"call_id": "c1"}), answered("c1", "too late"))
    problem(refused, 422, "invalid_request")
    await platform.recorded(answered("c1", call_status="cancelled"), claimed("k1", {"call_id": "c1"}))


async def test_a_claim_rests_on_earlier_ones_and_never_on_itself(platform: Platform) -> None:
    await platform.recorded(*OPENING)
    link = {"role": "claim", "claim_id": "k1"}
    for batch, location in (
        ([claimed("k1", link)], "events[0].rests_on[0].claim_id"),
        ([claimed("k2", link), claimed("k1", DOCUMENT)], "events[0].rests_on[0].claim_id"),
        ([claimed("k1", DOCUMENT, replaces_claim_id="k1")], "events[0].replaces_claim_id"),
    ):
        refused = problem(await platform.record(*batch), 422, "unknown_reference")
        assert refused["location"] == location


async def test_what_a_sibling_or_a_later_parent_has_is_no_evidence_here(platform: Platform) -> None:
    await platform.recorded(*OPENING, forked("one"), forked("two"))
    await platform.recorded(
        asked("m1", "x"), ran("r1"), called("c1"), answered("c1", 1), claimed("k1", DOCUMENT), branch="one"
    )
    links: list[Json] = [{"message_id": "m1"}, {"run_id": "r1"}, {"call_id": "c1"}, {"claim_id": "k1"}]
    for branch in ("two", "main"):
        for link in links:
            refused = await platform.record(claimed("k2", link), branch=branch)
            assert problem(refused, 422, "unknown_reference")["location"].startswith("events[0].rests_on[0].")
    await platform.recorded(claimed("k2", *links), branch="one")


async def test_another_tenants_ids_are_unknown(platform: Platform, neighbour: Platform) -> None:
    await platform.recorded(*OPENING)
    for name, theirs in (("message_id", "m1"), ("run_id", "r1"), ("call_id", "c1")):
        foreign = problem(await platform.record(claimed("k1", {name: theirs})), 422, "unknown_reference")
        missing = problem(await platform.record(claimed("k1", {name: "none"})), 422, "unknown_reference")
        assert foreign == missing
    assert neighbour.tenant_id != platform.tenant_id


LINK = {"role": "query", "run_id": "r1"}


@pytest.mark.parametrize(
    ("change", "location"),
    [
        ({"text": ""}, "text"),
        ({"text": "x" * 10_000}, "text"),
        ({"text": None}, "text"),
        ({"text": "a\ud800"}, "text"),
        ({"value": "x" * 10_000}, ""),
        ({"value": {"a": float("inf")}}, "value"),
        ({"claim_id": "x" * 129}, "claim_id"),
        ({"claim_id": 7}, "claim_id"),
        ({"rests_on": []}, "rests_on"),
        ({"rests_on": [LINK] * 65}, "rests_on"),
        ({"rests_on": "r1"}, "rests_on"),
        ({"rests_on": [{"role": "query"}]}, "rests_on[0]"),
        ({"rests_on": [LINK | {"call_id": "c1"}]}, "rests_on[0]"),
        ({"rests_on": [LINK, LINK | {"document": DOCUMENT["document"]}]}, "rests_on[1]"),
        ({"rests_on": [{"run_id": "r1"}]}, "rests_on[0].role"),
        ({"rests_on": [{"role": "rumour", "run_id": "r1"}]}, "rests_on[0].role"),
        ({"rests_on": [LINK | {"mood": 1}]}, "rests_on[0].?"),
        ({"rests_on": [DOCUMENT | {"document": {"name": "n"}}]}, "rests_on[0].document.sha256"),
        (
            {"rests_on": [DOCUMENT | {"document": {"name": "n", "sha256": "AB" * 32}}]},
            "rests_on[0].document.sha256",
        ),
        (
            {"rests_on": [DOCUMENT | {"document": {"name": "n", "sha256": "ab" * 32 + "\n"}}]},
            "rests_on[0].document.sha256",
        ),
        ({"visibility": "mine"}, "visibility"),
        ({"message": "m1"}, "message"),
    ],
)
async def test_a_claim_that_is_none_is_refused_by_its_place(
    platform: Platform, change: Json, location: str
) -> None:
    await platform.recorded(*OPENING, ran("r1"))
    body: dict[str, Any] = {"conversation_id": "trip", "events": [claimed("k1", LINK) | change]}
    headers = {"Authorization": f"Bearer {platform.key}", "Content-Type": "application/json"}
    response = await platform.http.post("/v1/events", content=json.dumps(body), headers=headers)
    [error] = problem(response, 422, "invalid_request")["errors"]
    assert error["location"] == f"events[0].{location}".rstrip(".")
    assert "rumour" not in response.text and "mood" not in response.text


async def test_the_largest_claim_is_kept(platform: Platform, rows: Rows) -> None:
    await platform.recorded(*OPENING, ran("r1"))
    await platform.recorded(claimed("😀" * 128, *([LINK] * 64), text="😀" * 4000, value="x" * 4094))
    [found] = await rows("MATCH (c:Claim {tenant_id: $t}) RETURN c.text AS text", t=platform.tenant_id)
    assert found["text"] == "😀" * 4000


async def test_no_context_has_claims_and_none_costs_more_for_them(platform: Platform) -> None:
    await platform.recorded(*OPENING, called("c1"), answered("c1", 12), asked("m1", "How many?"))
    before = await platform.assembled()
    await platform.recorded(claimed("k1", {"call_id": "c1"}, text="canary", visibility="conversation"))
    after = await platform.assembled()
    assert shown(after) == shown(before) and "canary" not in str(after)
    assert after["tokens"] == before["tokens"]
