"""Three people in one conversation of nobody, of whom one after the other is erased."""

from __future__ import annotations

import json
from typing import Any

import pytest
from agent_platform import Json, agent, human, opened
from officers import Office
from served import Rows
from test_derived import holding

from service.graph.driver import Graph
from service.log.kept_heads import KeptHeads
from service.usecases.erasure.vault import blobs_in
from service.usecases.manage_signing_key import trusted_keys
from service.usecases.verify_log import VerifyLog

WORDS = {"mia": "zqmia7f3c19d2e8", "ben": "zqben5a1d77c0b4", "kim": "zqkim0b9e44d217"}
LARGE = 20_500
AT = "all"
ALL = {"subject_ids": ["u-mia", "u-ben", "u-kim"]}
MIA_AND_BEN = {"subject_ids": ["u-mia", "u-ben"]}
DANGLING = """
MATCH (n {tenant_id: $t}) WHERE n.result_blob IS NOT NULL OR n.arguments_blob IS NOT NULL
RETURN n.subject_uids AS people, coalesce(n.result_blob, n.arguments_blob) AS digest
"""
PAYLOADS = """
MATCH (e:Event {tenant_id: $t})-[:HAS_PAYLOAD]->(p:Payload) RETURN e.kind AS kind, p.body AS body
"""
LINES = "MATCH (l:SummaryLine {tenant_id: $t}) RETURN l.text AS text"
in_stretches = pytest.mark.parametrize("seqs", [3, 400], indirect=True)


async def begun(office: Office) -> None:
    """Nobody's conversation with three people."""
    helper = agent("scout", participant_kind="subagent", parent_participant_id="agent")
    seats = [human(name) for name in WORDS]
    await office.platform.recorded(opened(user_id=None), *seats, agent(), helper, at=AT)


async def recorded(office: Office, *events: Json, branch: str = "main") -> list[str]:
    """Uids of what was recorded."""
    told = await office.platform.recorded(*events, at=AT, branch=branch)
    return [one["uid"] for one in told["events"]]


def noted(version: int, people: list[str], by: str = "agent", **more: Any) -> Json:
    told = {"kind": "working_memory", "participant_id": by, "expected_version": version}
    return {**told, "subject_ids": [f"u-{one}" for one in people], **more}


async def gone(office: Office, rows: Rows, graph: Graph, name: str, *left: str, **decisions: str) -> Json:
    """Somebody is erased; nothing holds the word, others' are there, blobs can be read, the log verifies."""
    request_id = f"erase-{name}"
    await office.asked(request_id, f"u-{name}")
    plan = await office.previewed(request_id, **decisions)
    done = await office.approved(request_id, plan["plan_digest"])
    assert done["state"] == "fulfilled", done
    await sound(office, rows, graph)
    assert await holding(office, rows, WORDS[name]) == []
    for one in left:
        assert "Payload" in await holding(office, rows, WORDS[one])
    return done


async def sound(office: Office, rows: Rows, graph: Graph) -> None:
    """The log verifies, and everything that names large bytes can read them."""
    tenant = office.platform.tenant_id
    keys = office.custody.keys_folder
    verify = VerifyLog(graph, trusted_keys(keys), KeptHeads(keys / "heads"), office.custody.ledger)
    verdict = await verify(tenant)
    assert verdict.is_sound, verdict
    digests = set()
    for row in await rows(DANGLING, t=tenant):
        assert await office.custody.blobs.get(tenant, row["people"], row["digest"])
        digests.add(row["digest"])
    bodies = [row["body"] for row in await rows(PAYLOADS, t=tenant)]
    named = {one for body in bodies for one in blobs_in(json.loads(body))}
    assert named == digests, "payloads name the bytes that are there, and no others"


async def plan_of(office: Office, name: str) -> list[str]:
    """What a plan lists for review."""
    await office.asked(f"look-{name}", f"u-{name}")
    return list((await office.previewed(f"look-{name}"))["plan"]["review"])


async def put_right(office: Office, name: str, request_id: str, **wrong: Any) -> Json:
    """A rectification of one event, carried out."""
    body = {"request_kind": "rectification", "user_id": f"u-{name}", "corrections": [wrong]}
    made = await office.platform.send("POST", "/v1/privacy-requests", {"request_id": request_id, **body})
    assert made.status_code == 201, made.text
    plan = await office.previewed(request_id)
    done = await office.approved(request_id, plan["plan_digest"])
    assert done["state"] == "fulfilled", done
    return done
