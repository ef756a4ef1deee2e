"""What each action of retention leaves, as a platform sees it; what stays; a run that dies and goes on."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from agent_platform import OPENING, Json, answered, asked, called, claimed, problem, replied, shown
from lives import LARGE, Canaries, live
from officers import Office
from served import Rows
from test_retention_rules import later, verified
from whole_graph import Seen

from jobs.carry_out_retention import carry_out_retention
from jobs.job import Deps
from service.clock import FixedClock
from service.errors import Unavailable
from service.graph.driver import Graph, Result, Work
from service.log.ledger import EntryKind, LedgerEntry
from service.settings import Settings
from service.usecases.manage_signing_key import trusted_keys

SECRET = "The old plan was to meet at the harbour."
ANSWER = {"gate": "B22", "seat": "12A"}
MONTH = 30
FREE_LEASE = (
    "MATCH (l:JobLease {name: 'retention/' + $t}) SET l.expires_at = datetime('2000-01-01T00:00:00Z')"
)


async def ruled(office: Office, **rules: str) -> None:
    settings = {
        "retention": {
            label: {"action": action, **({} if action == "keep" else {"after_days": MONTH})}
            for label, action in rules.items()
        }
    }
    await office.platform.configured(settings)


async def told(office: Office) -> None:
    """An old exchange, and what is said today."""
    await office.platform.recorded(
        *OPENING,
        asked("m1", SECRET),
        called("c1", {"key": "flight"}),
        answered("c1", ANSWER),
        replied("m2", "At the harbour, then."),
        asked("m3", "What shall we do?"),
    )


async def ran(office: Office) -> Json:
    outcome = await later(office)(office.platform.tenant_id)
    assert outcome is not None
    return outcome.told()


async def transcript(office: Office) -> list[str]:
    page = await office.platform.read("/v1/branches/main/transcript")
    return [one["text"] for one in page["entries"] if one.get("text") is not None]


async def test_archived_is_out_of_contexts_and_stays_in_the_transcript(office: Office, graph: Graph) -> None:
    await told(office)
    assert SECRET in shown(await office.platform.assembled())
    await ruled(office, Message="archive", ToolMemory="archive", ToolCall="archive", ToolArtifact="archive")
    await ran(office)
    again = await ran(office)
    assert again["done"] == {}
    context = shown(await office.platform.assembled())
    assert SECRET not in context and "B22" not in context
    assert SECRET in await transcript(office)
    assert await verified(office, graph) == 0


@pytest.mark.parametrize("action", ["redact", "hash", "delete"])
async def test_what_is_destroyed_is_in_no_node_and_its_slot_holds(
    office: Office, graph: Graph, rows: Rows, action: str
) -> None:
    await told(office)
    await ruled(office, Message=action)
    outcome = await ran(office)
    assert outcome["done"] == {"Message": {action: 3}, "Payload": {"delete": 3}}
    seen = await Seen.of(rows, office.platform.tenant_id)
    assert SECRET not in seen.text()
    assert "B22" in seen.text()
    assert await verified(office, graph) == 3
    texts = await transcript(office)
    assert len(texts) == (3 if action == "hash" else 0), "a transcript leaves out what has no words"
    if action == "hash":
        assert all(one.startswith("sha256:") and len(one) == 71 for one in texts)
    context = await office.platform.assembled()
    assert SECRET not in shown(context)


async def test_offloaded_bytes_are_read_as_before(office: Office, rows: Rows) -> None:
    await told(office)
    await ruled(office, ToolArtifact="offload", ToolCall="offload")
    before = await office.platform.send("POST", "/v1/artifacts/c1/rehydrate", REHYDRATE)
    assert before.status_code == 200, before.text
    outcome = await ran(office)
    assert outcome["done"] == {"ToolArtifact": {"offload": 1}, "ToolCall": {"offload": 1}}
    [kept] = await rows(
        "MATCH (a:ToolArtifact {tenant_id: $t}) RETURN a.result AS inline, a.result_blob AS blob",
        t=office.platform.tenant_id,
    )
    assert kept["inline"] is None and kept["blob"]
    after = await office.platform.send("POST", "/v1/artifacts/c1/rehydrate", REHYDRATE)
    assert after.json() == before.json()


async def test_large_bytes_go_with_the_last_that_names_them(office: Office, graph: Graph) -> None:
    large = {"found": "x" * LARGE}
    await office.platform.recorded(
        *OPENING, called("c1"), answered("c1", large), called("c2"), answered("c2", large)
    )
    scope = await _blobs(office)
    assert len(scope) == 1, "the same bytes are one blob"
    await office.platform.recorded(claimed("k1", {"call_id": "c1"}))
    await ruled(office, ToolMemory="delete", ToolArtifact="delete", ToolCall="delete")
    outcome = await ran(office)
    assert outcome["done"]["ToolArtifact"] == {"delete": 1}
    assert outcome["kept"]["ToolArtifact"] == {"referred_to": 1}
    assert await _blobs(office) == scope, "a claim rests on an artifact that has them"
    await office.platform.configured(
        {"retention": {one: {"action": "delete", "after_days": MONTH} for one in ("Claim", *_TOOLS)}}, after=1
    )
    outcome = await ran(office)
    assert outcome["done"]["ToolArtifact"] == {"delete": 1} and outcome["kept"] == {}
    assert await _blobs(office) == []
    assert await verified(office, graph) == 5


async def test_an_open_call_and_what_a_checkpoint_refers_to_stay(office: Office) -> None:
    await office.platform.recorded(
        *OPENING,
        {"kind": "model_run", "run_id": "r1", "participant_id": "agent"},
        called("c1", run_id="r1"),
        {"kind": "working_memory", "participant_id": "agent", "block": "so far", "expected_version": 0},
        {"kind": "checkpoint", "checkpoint_id": "k", "participant_id": "agent", "run_id": "r1"},
        {"kind": "working_memory", "participant_id": "agent", "block": "further", "expected_version": 1},
    )
    await ruled(office, ModelRun="delete", ToolCall="delete", ToolArtifact="delete", WorkingMemory="delete")
    outcome = await ran(office)
    assert outcome["done"] == {"Payload": {"delete": 1}, "WorkingMemory": {"delete": 1}}
    assert outcome["kept"] == {
        "ModelRun": {"referred_to": 1},
        "ToolArtifact": {"open": 1},
        "ToolCall": {"open": 1},
        "WorkingMemory": {"referred_to": 1},
    }


async def test_the_preview_of_the_api_is_what_the_job_does(
    office: Office, stranger: Office, graph: Graph, rows: Rows
) -> None:
    await live(office.platform, Canaries())
    await live(stranger.platform, Canaries())
    for one in (office, stranger):
        await ruled(one, Message="redact", ContextAssembly="delete")
    theirs = await Seen.of(rows, stranger.platform.tenant_id)
    until = (datetime.now(UTC) + timedelta(days=60)).isoformat().replace("+00:00", "Z")
    answer = await office.first.send("GET", f"/v1/retention/preview?until={until}")
    assert answer.status_code == 200, answer.text
    preview = answer.json()
    assert preview["done"]["ContextAssembly"] == {"delete": 1}
    rule = next(one for one in preview["rules"] if one["label"] == "Message")
    assert rule == {
        "label": "Message",
        "retention_class": "time_limited",
        "action": "redact",
        "after_days": MONTH,
        "configured": True,
    }
    soon = await office.first.send("GET", "/v1/retention/preview")
    assert soon.json()["done"] == {}, "nothing is a month old in a week"
    deps = Deps(graph, FixedClock(datetime.fromisoformat(preview["until"])), Settings())
    report = await carry_out_retention(deps, office.custody, [office.platform.tenant_id], dry_run=False)
    outcome = report["tenants"][office.platform.tenant_id]
    assert (outcome["done"], outcome["kept"]) == (preview["done"], preview["kept"])
    assert (await Seen.of(rows, stranger.platform.tenant_id)) == theirs, "another tenant is left alone"
    past = await office.first.send("GET", "/v1/retention/preview?until=2020-01-01T00:00:00Z")
    problem(past, 422, "invalid_request")


class DyingGraph(Graph):
    """A connection that is lost for good after so many writes."""

    writes_left = 0

    async def write(self, work: Work[Result], *args: Any, **more: Any) -> tuple[Result, list[str]]:
        if self.writes_left == 0:
            raise Unavailable
        self.writes_left -= 1
        return await super().write(work, *args, **more)


async def test_a_run_that_dies_anywhere_is_gone_on_with(
    office: Office, graph: Graph, rows: Rows, neo4j_server: Any
) -> None:
    new = Canaries()
    await live(office.platform, new)
    await ruled(office, Message="delete", ToolMemory="delete", ToolArtifact="redact", ToolCall="redact")
    tenant_id, retention = office.platform.tenant_id, later(office)
    preview = await retention.preview(tenant_id)
    server = neo4j_server
    died = 0
    async with DyingGraph(server.uri, server.user, server.password, server.name) as dying:
        for writes in range(12):
            dying.writes_left = writes
            try:
                await replace(retention, graph=dying, configurations=retention.configurations)(tenant_id)
            except Unavailable:
                died += 1
            await graph.write(lambda tx: _run(tx, FREE_LEASE, t=tenant_id))
    assert died > 3
    outcome = await retention(tenant_id)
    assert outcome is not None and outcome.told()["kept"] == preview.kept
    gone = await verified(office, graph)
    assert gone == preview.done["Payload"]["delete"]
    own = entries(office)
    assert {one.request_uid for one in own if one.kind is EntryKind.BEGUN} == {
        one.request_uid for one in own if one.kind is EntryKind.ENDED
    }
    assert sum(one.counts.get("events", 0) for one in own) == gone
    assert json.dumps(preview.done)


def entries(office: Office) -> list[LedgerEntry]:
    """What the ledger says of the tenant."""
    known = office.custody.ledger.read(trusted_keys(office.custody.keys_folder))
    return [one for one in known if one.tenant_id == office.platform.tenant_id]


async def _run(tx: Any, cypher: str, **params: Any) -> None:
    await (await tx.run(cypher, params)).consume()


async def _blobs(office: Office) -> list[str]:
    return [path async for path, *_ in office.custody.blobs.walk(office.platform.tenant_id)]


_TOOLS = ("ToolMemory", "ToolArtifact", "ToolCall")
REHYDRATE = {
    "conversation_id": "trip",
    "branch_id": "main",
    "participant_id": "agent",
    "byte_budget": 10_000,
}
