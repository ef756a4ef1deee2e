"""What a claim rests on is found in the log down to the raw results, whatever became of any context."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from agent_platform import (
    OPENING,
    Json,
    Platform,
    agent,
    answered,
    asked,
    called,
    claimed,
    forked,
    problem,
    ran,
    replied,
)
from gone import gone_for_good

from service.graph.driver import Graph
from service.model.caller import TENANT_SCOPES, Caller
from service.model.consistency import ConsistencyToken
from service.storage.blobs import Blobs
from service.usecases.evidence import chain as chains
from service.usecases.read_transcript import Place
from service.usecases.trace_evidence import TraceEvidence

ROOT = Path(__file__).resolve().parents[2]
LARGE = "row\n" * 9_000
FILE = {"name": "policy.pdf", "sha256": hashlib.sha256(b"policy").hexdigest()}
BYTES_OF = {"c1": '{"seats":12}', "c2": LARGE}


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


async def read(platform: Platform, claim_id: str, **query: Any) -> httpx.Response:
    query = {"conversation_id": "trip", "participant_id": "agent", **query}
    asked_for = "&".join(f"{name}={value}" for name, value in query.items() if value)
    return await platform.send("GET", f"/v1/claims/{claim_id}/evidence?{asked_for}")


async def evidence(platform: Platform, claim_id: str = "k1", **query: Any) -> Json:
    response = await read(platform, claim_id, **query)
    assert response.status_code == 200, response.text
    return response.json()


def statuses(found: Json) -> list[str]:
    """Those of the asked claim's links, in order."""
    return [link["status"] for link in found["claims"][0]["rests_on"]]


async def event(platform: Platform, place: Json, **query: Any) -> Json:
    """The entry of the log that a place leads to."""
    path = f"/v1/events/{place['uid']}?conversation_id=trip&participant_id=agent"
    response = await platform.send("GET", path + "".join(f"&{name}={one}" for name, one in query.items()))
    assert response.status_code == 200, response.text
    told: Json = response.json()
    assert (told["seq"], told["hash"], told["hash_holds"]) == (place["seq"], place["hash"], True)
    return told


async def write(graph: Graph, platform: Platform, text: str, **params: Any) -> None:
    """Write to the tenant behind the service's back."""
    await graph.write(lambda tx: tx.run(text, {"t": platform.tenant_id, **params}))


WORK = (
    *OPENING,
    asked("m1", "How many seats, and how many rows?"),
    ran("r1"),
    called("c1", run_id="r1"),
    answered("c1", {"seats": 12}),
    called("c2", run_id="r1"),
    answered("c2", LARGE),
)
"""A small and a large result, both the agent's."""


async def test_a_number_is_traced_to_its_query_document_run_check_and_message(platform: Platform) -> None:
    await platform.recorded(*WORK, called("c3", tool="reconcile"), answered("c3", "within tolerance"))
    context = await platform.assembled(900)
    await platform.recorded(
        ran("r2", assembly_id=context["assembly_id"], provider="openai", model="m"),
        replied("m2", "Twelve.", run_id="r2"),
        claimed(
            "k1",
            {"call_id": "c1"},
            {"role": "document", "call_id": "c2"},
            {"role": "document", "document": FILE},
            {"role": "run", "run_id": "r1"},
            {"role": "check", "call_id": "c3"},
            {"role": "message", "message_id": "m1"},
            text="Twelve seats are left.",
            value={"seats": 12, "of": None},
            run_id="r2",
            message_id="m2",
        ),
    )
    found = await evidence(platform)
    [claim] = found["claims"]
    assert (claim["claim_id"], claim["status"], claim["text"]) == ("k1", "resolved", "Twelve seats are left.")
    assert claim["value"] == {"seats": 12, "of": None} and claim["replaced_by_claim_ids"] == []
    assert found["statuses"] == {"resolved": 5, "kept_elsewhere": 1} and found["not_walked"] == []
    roles = ["query", "document", "document", "run", "check", "message"]
    assert [link["role"] for link in claim["rests_on"]] == roles
    small, large, document, run, check, message = claim["rests_on"]
    for link, call_id in ((small, "c1"), (large, "c2")):
        artifact, text = link["artifact"], BYTES_OF[call_id]
        assert (artifact["call_id"], artifact["tool_name"], artifact["call_status"]) == (
            call_id,
            "look_up",
            "executed",
        )
        assert (artifact["result_sha256"], artifact["result_bytes"]) == (sha256(text), len(text.encode()))
        assert (await event(platform, artifact["call"]))["payload"]["call_id"] == call_id
        assert (await event(platform, artifact["result"]))["kind"] == "tool_result"
        body = {"conversation_id": "trip", "participant_id": "agent", "byte_budget": 10**6}
        path = f"/v1/artifacts/{artifact['artifact_uid']}/rehydrate"
        assert (await platform.send("POST", path, body)).json()["content"] == text
    assert document == {"role": "document", "status": "kept_elsewhere", "document": FILE}
    assert run["run"]["run_id"] == "r1" and "assembly" not in run["run"]
    assert check["artifact"]["tool_name"] == "reconcile"
    assert (await event(platform, message["message"]["event"]))["payload"]["message_id"] == "m1"
    assert claim["message"]["message"]["message_id"] == "m2"
    assert (await event(platform, claim["event"]))["payload"]["text"] == claim["text"]


async def test_the_run_names_its_context_and_what_that_did_not_consider(
    platform: Platform, graph: Graph
) -> None:
    await platform.recorded(*OPENING, agent("rival"), *(asked(f"m{n}", f"word {n} " * 60) for n in range(9)))
    await platform.recorded(called("secret", by="rival"), answered("secret", "x"))
    await platform.recorded(called("c1"), answered("c1", 1), asked("m9", "How many?"))
    context = await platform.assembled(700)
    explained = await platform.explained(context["assembly_id"])
    await platform.recorded(ran("r1", assembly_id=context["assembly_id"]))
    await platform.recorded(claimed("k1", {"call_id": "c1"}, run_id="r1"))
    assembly = (await evidence(platform))["claims"][0]["run"]["run"]["assembly"]
    assert "worth_too_little" in {one["reason"] for one in explained["omissions"]}
    assert assembly == {
        "assembly_id": context["assembly_id"],
        "head": context["head"],
        "omissions": explained["omissions"],
    }
    assert "private_to_other" not in str(assembly)
    await write(graph, platform, "MATCH (a:ContextAssembly {tenant_id: $t}) DETACH DELETE a")
    run = (await evidence(platform))["claims"][0]["run"]
    assert (run["status"], run["run"]["assembly"]) == ("resolved", {"assembly_id": context["assembly_id"]})


async def test_a_branch_that_was_compacted_five_times_audits_the_same(platform: Platform) -> None:
    await platform.recorded(*WORK, replied("m2", "Twelve."))
    context = await platform.assembled(2000)
    links = [{"call_id": "c1"}, {"call_id": "c2"}, {"role": "message", "message_id": "m1"}]
    await platform.recorded(ran("r2", assembly_id=context["assembly_id"]), claimed("k1", *links, run_id="r2"))
    before = await evidence(platform)
    assert "compaction" not in before["claims"][0]["run"]["run"]["assembly"]
    for number in range(5):
        await platform.recorded(asked(f"a{number}", "Go on."), replied(f"b{number}", "Yes."))
        await platform.recorded(asked(f"c{number}", "And then?"))
        made = await platform.compacted(f"s{number}")
    assert await evidence(platform) == before
    context = await platform.assembled(2000)
    await platform.recorded(ran("r3", assembly_id=context["assembly_id"]), claimed("k2", *links, run_id="r3"))
    found = await evidence(platform, "k2")
    assert statuses(found) == statuses(before) == ["resolved"] * 3
    assembly = found["claims"][0]["run"]["run"]["assembly"]
    assert (assembly["compaction"]["compaction_id"], assembly["compaction"]["event"]["seq"]) == (
        "s4",
        made["seq"],
    )
    assert assembly["compaction"]["event"]["uid"] == made["event_uid"]


async def test_a_chain_of_claims_is_walked_to_the_raw_results_each_once(platform: Platform) -> None:
    await platform.recorded(*WORK)
    await platform.recorded(
        claimed("k1", {"call_id": "c1"}),
        claimed("k2", {"role": "claim", "claim_id": "k1"}, {"call_id": "c2"}),
        claimed("k3", {"role": "claim", "claim_id": "k1"}, {"role": "claim", "claim_id": "k2"}),
        claimed("k4", {"role": "check", "claim_id": "k3"}),
    )
    found = await evidence(platform, "k4")
    assert [claim["claim_id"] for claim in found["claims"]] == ["k4", "k3", "k1", "k2"]
    links = {one["claim_id"]: one["rests_on"] for one in found["claims"]}
    assert [link["claim_id"] for link in links["k3"]] == ["k1", "k2"]
    assert links["k2"][1]["artifact"]["result_sha256"] == sha256(LARGE)
    assert found["statuses"] == {"resolved": 6}


async def test_a_chain_that_leads_beyond_the_limit_says_where_it_stopped(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chains, "LINKS_MAX", 3)
    await platform.recorded(*WORK, claimed("k1", {"call_id": "c1"}, {"call_id": "c2"}))
    await platform.recorded(claimed("k2", {"role": "claim", "claim_id": "k1"}, {"call_id": "c2"}))
    found = await evidence(platform, "k2")
    assert found["not_walked"] == ["k1"]
    first, second = found["claims"]
    assert first["rests_on"][0] == {"role": "claim", "status": "resolved", "claim_id": "k1"}
    assert (second["claim_id"], second["status"], "rests_on" in second) == ("k1", "resolved", False)
    assert (await evidence(platform, "k1"))["not_walked"] == []


async def test_a_cycle_that_somebody_forged_ends(platform: Platform, graph: Graph) -> None:
    await platform.recorded(*WORK, claimed("k1", {"call_id": "c1"}))
    await platform.recorded(claimed("k2", {"role": "claim", "claim_id": "k1"}))
    renamed = "MATCH (c:Claim {tenant_id: $t, claim_id: $old}) SET c.claim_id = $new"
    await write(graph, platform, renamed, old="k1", new="x")
    await write(graph, platform, renamed, old="k2", new="k1")
    found = await evidence(platform, "k1")
    assert [(one["claim_id"], one["status"]) for one in found["claims"]] == [("k1", "resolved")]
    assert found["claims"][0]["rests_on"][0]["claim_id"] == "k1"


async def test_a_correction_is_a_claim_of_its_own_and_the_old_one_names_it(platform: Platform) -> None:
    await platform.recorded(*WORK, claimed("k1", {"call_id": "c1"}), forked("one"))
    await platform.recorded(claimed("k2", {"call_id": "c2"}, replaces_claim_id="k1", visibility="branch"))
    assert (await evidence(platform))["claims"][0]["replaced_by_claim_ids"] == ["k2"]
    assert (await evidence(platform, "k2"))["claims"][0]["replaces_claim_id"] == "k1"
    assert (await evidence(platform, branch_id="one"))["claims"][0]["replaced_by_claim_ids"] == []


async def test_a_claim_is_read_on_its_lineage_and_never_on_a_sibling(platform: Platform) -> None:
    await platform.recorded(*WORK, forked("before"), claimed("k1", {"call_id": "c1"}), forked("after"))
    await platform.recorded(claimed("k2", {"role": "claim", "claim_id": "k1"}), branch="after")
    whole = await evidence(platform)
    assert await evidence(platform, branch_id="after") == whole
    assert (await evidence(platform, "k2", branch_id="after"))["statuses"] == {"resolved": 2}
    for claim_id, branch in (("k1", "before"), ("k2", "main"), ("k2", "before")):
        problem(await read(platform, claim_id, branch_id=branch), 404, "not_found")


async def test_each_branch_rests_on_its_own_answer_to_a_call(platform: Platform) -> None:
    await platform.recorded(*OPENING, called("c1"), forked("one"), answered("c1", "in main"))
    await platform.recorded(answered("c1", "in one"), claimed("k1", {"call_id": "c1"}), branch="one")
    await platform.recorded(claimed("k0", {"call_id": "c1"}))
    for claim_id, branch, text in (("k1", "one", "in one"), ("k0", "main", "in main")):
        [link] = (await evidence(platform, claim_id, branch_id=branch))["claims"][0]["rests_on"]
        assert (link["status"], link["artifact"]["result_sha256"]) == ("resolved", sha256(text))


async def test_a_result_that_came_within_a_message_or_as_a_failure_is_traced_too(platform: Platform) -> None:
    parts = [{"type": "text", "content": "x"}, {"type": "tool_call_response", "id": "c1", "response": [1, 2]}]
    failed = answered("c2", call_status="failed", error="is out")
    await platform.recorded(*OPENING, called("c1"), {**replied("m1", ""), "parts": parts})
    await platform.recorded(called("c2"), failed, called("c3"), answered("c3", {"blob": "x", "bytes": 1}))
    await platform.recorded(claimed("k1", {"call_id": "c1"}, {"call_id": "c2"}, {"call_id": "c3"}))
    one, two, three = (await evidence(platform))["claims"][0]["rests_on"]
    assert (one["status"], one["artifact"]["result_sha256"]) == ("resolved", sha256("[1,2]"))
    assert (two["status"], two["artifact"]["call_status"]) == ("resolved", "failed")
    assert three["status"] == "resolved"


async def test_what_the_asker_may_not_see_is_withheld_without_a_word(platform: Platform) -> None:
    await platform.recorded(*OPENING, agent("rival"), called("c1"), answered("c1", "canary"), ran("r1"))
    await platform.recorded(
        called("c2", visibility="branch"),
        answered("c2", "x"),
        asked("m1", "canary", visibility="participant"),
        claimed("k0", {"call_id": "c1"}, text="canary"),
    )
    links = [{"call_id": "c1"}, {"call_id": "c2"}, {"role": "message", "message_id": "m1"}]
    links += [{"role": "run", "run_id": "r1"}, {"role": "claim", "claim_id": "k0"}]
    await platform.recorded(claimed("k1", *links, visibility="branch", run_id="r1"), claimed("k2", *links))
    for seat in ("rival", None):
        found = await evidence(platform, participant_id=seat)
        assert statuses(found) == ["withheld", "resolved", "withheld", "withheld", "withheld"]
        withheld = [one for one in found["claims"][0]["rests_on"] if one["status"] == "withheld"]
        assert all(one.keys() == {"role", "status"} for one in withheld)
        assert found["claims"][0]["run"] == {"role": "run", "status": "withheld"}
        assert len(found["claims"]) == 1 and "canary" not in str(found)
        problem(await read(platform, "k2", participant_id=seat), 404, "not_found")
    assert statuses(await evidence(platform)) == ["resolved", "resolved", "withheld", "resolved", "resolved"]


async def test_missing_foreign_and_elsewhere_claims_answer_alike(
    platform: Platform, neighbour: Platform, new_platform: Any
) -> None:
    await platform.recorded(*WORK, claimed("k1", {"call_id": "c1"}))
    other = await new_platform()
    await other.recorded(*WORK, claimed("theirs", {"call_id": "c1"}))
    missing = problem(await read(platform, "nothing"), 404, "not_found")
    for claim_id in ("theirs", "c1", "x" * 10_000, "%00%ff"):
        assert (await read(platform, claim_id)).json() == missing
    for query in ({"conversation_id": "none"}, {"branch_id": "none"}, {"participant_id": "none"}):
        problem(await read(platform, "k1", **query), 404, "not_found")
    problem(await read(platform, "k1", branch_id="x" * 129), 422, "invalid_request")
    problem(await platform.send("GET", "/v1/claims/k1/evidence"), 422, "invalid_request")
    problem(await neighbour.send("GET", "/v1/claims/k1/evidence?conversation_id=trip"), 404, "not_found")


async def test_the_officers_guide_traces_the_readmes_number_as_it_says(platform: Platform) -> None:
    for file in ("README.md", "docs/compliance-officer.md"):
        body = re.findall(r"/v1/events .*?-d '(\{.*?\})'", (ROOT / file).read_text("utf-8"), re.DOTALL)[0]
        assert (await platform.send("POST", "/v1/events", json.loads(body))).status_code == 201
    guide = (ROOT / "docs/compliance-officer.md").read_text("utf-8")
    path = re.findall(r'curl -s "\$URL(/v1/claims/[^"]+)"', guide)[0]
    found = (await platform.send("GET", path)).json()
    assert found["statuses"] == {"resolved": 2} and found["claims"][0]["run"]["status"] == "resolved"


def tamperings() -> Iterator[tuple[str, str, list[str]]]:
    """What is done in the database, and how the links to c1, c2, m1 and r1 stand then."""
    artifact = "MATCH (t:ToolCall {tenant_id: $t, call_id: 'c1'})-[:RESULTED_IN]->(a:ToolArtifact) "
    blob = artifact.replace("'c1'", "'c2'")
    event = "MATCH (e:Event {tenant_id: $t}) MATCH (e)-[:HAS_PAYLOAD]->(p) WHERE p.body CONTAINS $word "
    whole = ["resolved"] * 4
    for name, text, at in (
        ("bytes changed", artifact + "SET a.result = '{}'", 0),
        ("bytes and hash changed", artifact + f"SET a.result = '', a.result_sha256 = '{sha256('')}'", 0),
        ("bytes gone", artifact + "REMOVE a.result", 0),
        ("artifact gone", artifact + "DETACH DELETE a", 0),
        ("call gone", artifact + "DETACH DELETE t, a", 0),
        ("result's event gone", event.replace("$word", "'\"seats\":12'") + "DETACH DELETE e, p", 0),
        ("call's event changed", event.replace("$word", '\'"key":"c1"\'') + "SET e.kind = 'pin'", 0),
        ("result's payload gone", event.replace("$word", "'\"seats\":12'") + "DETACH DELETE p", 0),
        ("blob repointed", blob + f"SET a.result_blob = '{'0' * 64}'", 1),
        ("blob's hash changed", blob + f"SET a.result_sha256 = '{'0' * 64}'", 1),
        ("message gone", "MATCH (m:Message {tenant_id: $t, message_id: 'm1'}) DETACH DELETE m", 2),
        ("message's words changed in the log", event.replace("$word", "'How many'") + "SET p.body = '{}'", 2),
        ("run gone", "MATCH (r:ModelRun {tenant_id: $t, run_id: 'r1'}) DETACH DELETE r", 3),
        ("edges drawn anew", "MATCH (:Claim {tenant_id: $t})-[r:RESTS_ON]->() DELETE r", -1),
        ("memory gone", "MATCH (m:ToolMemory {tenant_id: $t}) DETACH DELETE m", -1),
    ):
        yield name, text, [("broken" if at == number else one) for number, one in enumerate(whole)]


@pytest.mark.parametrize(("name", "text", "expected"), list(tamperings()))
async def test_what_is_gone_or_changed_is_broken_and_nothing_else_is(
    new_platform: Any, graph: Graph, name: str, text: str, expected: list[str]
) -> None:
    platform = await new_platform()
    links = [{"call_id": "c1"}, {"call_id": "c2"}, {"role": "message", "message_id": "m1"}]
    await platform.recorded(*WORK, claimed("k1", *links, {"role": "run", "run_id": "r1"}))
    assert statuses(await evidence(platform)) == ["resolved"] * 4, name
    await write(graph, platform, text)
    assert statuses(await evidence(platform)) == expected


@pytest.mark.parametrize("damage", ["changed", "deleted"])
async def test_a_damaged_or_deleted_blob_is_broken(
    platform: Platform, blobs: Blobs, tmp_path_factory: pytest.TempPathFactory, damage: str
) -> None:
    text = f"{damage} {platform.tenant_id}\n" * 900
    await platform.recorded(*OPENING, called("c1"), answered("c1", text), claimed("k1", {"call_id": "c1"}))
    assert statuses(await evidence(platform)) == ["resolved"]
    base = tmp_path_factory.getbasetemp()
    [stored] = base.glob(f"**/{platform.tenant_id}/*/*/{sha256(text)}")
    if damage == "changed":
        stored.write_bytes(text.encode()[:-2] + b"x\n")
    else:
        stored.unlink()
    assert statuses(await evidence(platform)) == ["broken"]


async def test_a_payload_that_is_gone_is_erased_only_with_its_ledger_entry(
    platform: Platform, graph: Graph, blobs: Blobs
) -> None:
    await platform.recorded(*WORK, claimed("k0", {"call_id": "c2"}))
    links = [{"call_id": "c1"}, {"role": "message", "message_id": "m1"}, {"role": "claim", "claim_id": "k0"}]
    await platform.recorded(claimed("k1", *links))
    places = (await evidence(platform))["claims"]
    first = places[0]["rests_on"]
    gone = [first[0]["artifact"]["result"]["uid"], first[1]["message"]["event"]["uid"]]
    gone.append(places[1]["event"]["uid"])
    forgotten = "UNWIND $uids AS uid MATCH (:Event {uid: uid})-[:HAS_PAYLOAD]->(p) DETACH DELETE p"
    await write(graph, platform, forgotten, uids=gone)
    assert statuses(await evidence(platform)) == ["broken"] * 3
    named = "UNWIND $uids AS uid MATCH (e:Event {uid: uid}) SET e.erased_by = 'purge'"
    await write(graph, platform, named, uids=gone)
    trace = TraceEvidence(graph, blobs, gone_for_good(platform.tenant_id))
    caller = Caller(platform.tenant_id, "key", frozenset(TENANT_SCOPES))
    found = await trace(caller, Place("trip", "main", "agent"), "k1", ConsistencyToken())
    assert statuses(found) == ["erased"] * 3
    assert [claim["text"] for claim in found["claims"]] == ["It is so.", None]
