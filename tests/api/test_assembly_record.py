"""Assembly: the record holds ids and numbers, and explains every choice to its tenant alone."""

from __future__ import annotations

import pytest
from agent_platform import (
    OPENING,
    TRIP,
    Json,
    Platform,
    agent,
    answered,
    asked,
    called,
    problem,
    ran,
    replied,
)
from served import Rows

CANARY = "CANARY"


async def told(platform: Platform) -> Json:
    """A conversation of canaries, and an assembly over it that leaves things out."""
    await platform.recorded(
        *OPENING,
        agent("rival"),
        asked("m1", f"{CANARY} Where do I sit? HAT022"),
        called("c1", {"key": CANARY}),
        answered("c1", {"seat": f"{CANARY} 12A"}),
        ran("r1"),
        replied("m2", f"{CANARY} 12A", run_id="r1"),
        replied("m3", f"{CANARY} private", by="rival", visibility="participant"),
        replied("m4", CANARY, visibility="audit"),
        asked("m5", f"{CANARY} And who sits beside me?"),
        called("c2", {"key": f"{CANARY} beside"}),
        answered("c2", {"name": CANARY}),
    )
    return await platform.assembled(4000, profile="thorough")


async def test_a_record_has_ids_and_numbers_and_no_text(platform: Platform, rows: Rows) -> None:
    context = await told(platform)
    records = await rows(
        "MATCH (a:ContextAssembly {tenant_id: $t}) OPTIONAL MATCH (a)-[e]->(d) WHERE NOT d:ToolMemory "
        "RETURN properties(a) AS a, collect(properties(e)) AS e, collect(properties(d)) AS d",
        t=platform.tenant_id,
    )
    assert records[0]["a"]["uid"] == context["assembly_id"]
    assert CANARY not in str(records) and "12A" not in str(records)
    assert records[0]["a"]["assembled_tokens"] == context["tokens"]["assembled"]


async def test_an_explanation_says_what_was_in_and_what_was_not_and_why(platform: Platform) -> None:
    context = await told(platform)
    explained = await platform.explained(context["assembly_id"])
    assert [one["section"] for one in explained["sections"]] == [
        one["section"] for one in context["sections"]
    ]
    items = [[item["uid"] for item in one["items"]] for one in explained["sections"]]
    assert items == [[item["uid"] for item in one["items"]] for one in context["sections"]]
    [memory] = [item for one in explained["sections"] for item in one["items"] if "headline" in item]
    assert memory["tool_name"] == "look_up" and memory["artifact_uid"] and memory["rank"] >= 1
    assert (memory["confidence"], memory["confidence_source"]) == (1.0, "deterministic_distiller")
    assert (memory["confidence_reason"], memory["limits"]) == ("parsed data", [])
    assert explained["omissions"] == context["omissions"]
    assert {one["reason"] for one in explained["omissions"]} >= {"audit_only", "shown_whole"}
    arithmetic = context["tokens"]
    assert explained["saved_tokens"] == arithmetic["full_transcript"] - arithmetic["assembled"]
    assert (explained["head"], explained["budget_tokens"]) == (context["head"], 4000)
    for name in ("policy_version", "assembler_version", "configuration_version"):
        assert explained[name] == context[name]


async def test_an_explanation_is_for_its_tenant_and_a_foreign_one_is_like_none(
    platform: Platform, neighbour: Platform, new_platform: object
) -> None:
    context = await told(platform)
    paths = ("", "/why-not/m1", "/replay")
    for path in paths:
        method = "POST" if path == "/replay" else "GET"
        foreign = await neighbour.send(method, f"/v1/assemblies/{context['assembly_id']}{path}")
        missing = await neighbour.send(method, f"/v1/assemblies/none{path}")
        assert problem(foreign, 404, "not_found") == problem(missing, 404, "not_found")
    foreign = await neighbour.send("GET", "/v1/messages/m5/why")
    assert foreign.json() == (await neighbour.send("GET", "/v1/messages/none/why")).json()


async def test_an_answer_leads_back_to_the_context_behind_it(platform: Platform) -> None:
    context = await told(platform)
    await platform.recorded(
        ran("r2", assembly_id=context["assembly_id"]), replied("m6", "Nobody.", run_id="r2")
    )
    origin = (await platform.send("GET", "/v1/messages/m6/why")).json()
    assert origin["assembly"] == await platform.explained(context["assembly_id"])


async def test_why_not_names_the_rule_and_what_would_change_it(platform: Platform) -> None:
    assembly = (await told(platform))["assembly_id"]
    why = {
        name: await platform.send("GET", f"/v1/assemblies/{assembly}/why-not/{name}")
        for name in ("m1", "c1", "m4", "m3", "none")
    }
    assert why["c1"].json()["included"] is True and why["c1"].json()["kind"] == "ToolMemory"
    assert why["m1"].json()["included"] is True
    assert why["m4"].json()["reason"] == "audit_only" and why["m4"].json()["what_would_change_it"]
    assert problem(why["m3"], 404, "not_found") == problem(why["none"], 404, "not_found")


@pytest.mark.parametrize("where", ["sibling", "conversation"])
async def test_why_not_tells_nothing_of_what_is_private_elsewhere(platform: Platform, where: str) -> None:
    assembly = (await told(platform))["assembly_id"]
    await platform.recorded({"kind": "fork", "branch_id": "aside"})
    private = replied("elsewhere", "x", by="rival", visibility="participant")
    if where == "sibling":
        await platform.recorded(private, branch="aside")
    else:
        await platform.recorded(*OPENING, agent("rival"), private, at="another")
    answer = await platform.send("GET", f"/v1/assemblies/{assembly}/why-not/elsewhere")
    missing = await platform.send("GET", f"/v1/assemblies/{assembly}/why-not/none")
    assert problem(answer, 404, "not_found") == missing.json()


async def test_a_replay_chooses_the_same_after_the_conversation_went_on(platform: Platform) -> None:
    context = await told(platform)
    await platform.recorded(asked("m6", "HAT999 More"), called("c3"), answered("c3", "more"), ran("r9"))
    replayed = await platform.send("POST", f"/v1/assemblies/{context['assembly_id']}/replay")
    assert replayed.status_code == 200 and replayed.json()["same"] is True, replayed.text
    assert "audit_only" in replayed.text and "private_to_other" not in replayed.text


async def test_a_preview_is_answered_and_not_recorded(platform: Platform, rows: Rows) -> None:
    await platform.recorded(*OPENING, asked("m1", "Hello"))
    context = await platform.assembled(preview=True)
    assert context["assembly_id"] is None and context["sections"]
    count = "MATCH (a:ContextAssembly {tenant_id: $t}) RETURN count(a) AS n"
    assert (await rows(count, t=platform.tenant_id))[0]["n"] == 0
    await platform.assembled(at=TRIP)
    assert (await rows(count, t=platform.tenant_id))[0]["n"] == 1


async def test_a_refused_assembly_leaves_no_record(platform: Platform, rows: Rows) -> None:
    await platform.recorded(*OPENING, asked("m1", "Hello"))
    problem(await platform.assemble(10), 422, "budget_too_small")
    problem(await platform.assemble(provider="none"), 422, "invalid_request")
    count = "MATCH (a:ContextAssembly {tenant_id: $t}) RETURN count(a) AS n"
    assert (await rows(count, t=platform.tenant_id))[0]["n"] == 0
