"""Random tenants under random rules: a run does what its preview says, once; what is referred to or held
stays; the log verifies.

RUNTIME_GRAPH_SLOW=1 makes 200 tenants; the short lane makes 8.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from agent_platform import Json
from officers import Office
from random_tenants import RandomTenant
from served import Rows
from whole_graph import Node, Seen

from service.clock import FixedClock
from service.graph.driver import Graph
from service.log.kept_heads import KeptHeads
from service.log.ledger import EntryKind
from service.model.configuration import RETAINED, WITH_BYTES
from service.model.privacy import Destruction
from service.model.vocabulary import RetentionAction
from service.usecases.manage_signing_key import trusted_keys
from service.usecases.retention.run import CarryOutRetention
from service.usecases.verify_log import VerifyLog

SEEDS = range(200 if os.environ.get("RUNTIME_GRAPH_SLOW") == "1" else 8)
LATER = timedelta(days=60)
REFERRING = {
    "DERIVED_FROM": ("ToolMemory", "UserMemory", "Query", "Response", "KnowledgeDocument"),
    "RESTS_ON": ("Claim",),
    "INCLUDED": ("ContextAssembly",),
    "REHYDRATED": ("ContextAssembly",),
    "PINS": ("Pin",),
}
WITHOUT_WORDS = ("redact", "hash")
MOVES = {"erasure_count", "state", "head"}


def random_rules(chance: random.Random) -> Json:
    rules: Json = {}
    for label in chance.sample(RETAINED, chance.randint(7, len(RETAINED))):
        actions = [
            one for one in RetentionAction if one is not RetentionAction.OFFLOAD or label in WITH_BYTES
        ]
        action = chance.choice([*actions, RetentionAction.DELETE, RetentionAction.DELETE])
        rules[label] = {"action": action}
        if action is not RetentionAction.KEEP:
            rules[label]["after_days"] = chance.choice([1, 30, 30, 90])
    return rules


def later(office: Office, by: timedelta = LATER) -> CarryOutRetention:
    """The same use case at a later time."""
    return replace(office.privacy.retention, clock=FixedClock(datetime.now(UTC) + by))


async def verified(office: Office, graph: Graph) -> int:
    """How many payloads are missing of a log that is sound."""
    keys = office.custody.keys_folder
    kept = KeptHeads(keys / f"heads-{office.platform.tenant_id}")
    verdict = await VerifyLog(graph, trusted_keys(keys), kept, office.custody.ledger)(
        office.platform.tenant_id
    )
    assert verdict.is_sound, verdict
    return verdict.erased


@pytest.mark.parametrize("seed", SEEDS)
async def test_a_run_does_what_its_preview_says_and_leaves_what_is_referred_to(
    office: Office, graph: Graph, rows: Rows, seed: int
) -> None:
    chance = random.Random(seed)
    services = office.first.http._transport.app.state.services  # type: ignore[attr-defined]
    tenant = await RandomTenant(office.platform, chance, services.learning.settled).made()
    held = chance.choice(tenant.people) if chance.random() < 0.7 else None
    if held is not None:
        held = held if await _held(office, held.user_id) else None
    rules = random_rules(chance)
    await office.platform.configured({"retention": rules}, after=1)
    retention, tenant_id = later(office), office.platform.tenant_id
    before = await Seen.of(rows, tenant_id)
    preview = await retention.preview(tenant_id)
    assert await Seen.of(rows, tenant_id) == before, "a preview changes nothing"
    ran = await retention(tenant_id)
    assert ran is not None
    after = await Seen.of(rows, tenant_id)
    assert ran.told() == {"done": preview.done, "kept": preview.kept}
    assert await verified(office, graph) == preview.done.get("Payload", {}).get("delete", 0)
    _check_labels(before, after, preview.done)
    _check_referred_to(before, after)
    if held is not None:
        _check_held(before, after, held.user_id)
    again = await retention(tenant_id)
    assert again is not None and again.told()["done"] == {}
    assert again.told()["kept"] == preview.kept
    assert _told(await Seen.of(rows, tenant_id)) == _told(after), "twice is once"
    _check_ledger(office, preview.done)
    contexts = [await office.platform.assemble(at=talk.id) for talk in tenant.talks]
    assert {one.status_code for one in contexts} <= {201}, [one.text for one in contexts]


async def _held(office: Office, user_id: str) -> bool:
    body = {
        "hold_id": "hold",
        "user_id": user_id,
        "basis": "art_17_3_e",
        "expires_at": (datetime.now(UTC) + timedelta(days=900)).isoformat().replace("+00:00", "Z"),
    }
    made = await office.first.send("POST", "/v1/legal-holds", body)
    assert made.status_code in (201, 404), made.text  # a person of whom nothing was recorded is unknown
    return made.status_code == 201


def _told(seen: Seen) -> Any:
    return {at: node for at, node in seen.nodes.items() if node[0] not in ("Tenant", "JobLease")}


def _check_labels(before: Seen, after: Seen, done: Any) -> None:
    gone = Counter(node[0] for at, node in before.nodes.items() if at not in after.nodes)
    for label in ("Judgement", "PolicyDecision"):
        gone.pop(label, None)
    assert gone == Counter({label: of["delete"] for label, of in done.items() if "delete" in of})
    marked = Counter(
        (node[0], node[1]["retained_as"]) for node in after.nodes.values() if "retained_as" in node[1]
    )
    actions = ("archive", *WITHOUT_WORDS)
    assert marked == Counter({(a, b): n for a, of in done.items() for b, n in of.items() if b in actions})


def _check_referred_to(before: Seen, after: Seen) -> None:
    """What something that stays refers to is as it was, but for where its bytes lie."""
    for start, kind, end in before.edges:
        referrer, referred = before.nodes[start], before.nodes.get(end)
        if referrer[0] not in REFERRING.get(kind, ()) or start not in after.nodes or referred is None:
            continue
        if after.nodes[start][1].get("retained_as") in WITHOUT_WORDS:
            continue
        assert end in after.nodes, (kind, referrer, referred)
        assert _readable(after.nodes[end]) == _readable(referred), (kind, referrer)


def _readable(node: Node) -> Any:
    moved = {"result", "result_blob", "arguments", "arguments_blob", *MOVES}
    return {name: value for name, value in node[1].items() if name not in moved}


def _check_held(before: Seen, after: Seen, user_id: str) -> None:
    found = before.naming(user_id)
    person = found[0][1]["uid"]
    for at, (_, kept) in before.nodes.items():
        if person in kept.get("subject_uids", ()):
            assert after.nodes[at][1] == kept


def _check_ledger(office: Office, done: Any) -> None:
    entries = office.custody.ledger.read(trusted_keys(office.custody.keys_folder))
    own = [one for one in entries if one.tenant_id == office.platform.tenant_id]
    destroyed = {
        (a, b): n for a, of in done.items() for b, n in of.items() if b in ("delete", *WITHOUT_WORDS)
    }
    if not destroyed:
        assert own == []
        return
    assert [(one.kind, one.what) for one in own] == [
        (EntryKind.BEGUN, Destruction.RETENTION),
        (EntryKind.ENDED, Destruction.RETENTION),
    ]
    assert own[1].counts["events"] == done.get("Payload", {}).get("delete", 0)
    assert {f"{a}.{b}": n for (a, b), n in destroyed.items()}.items() <= own[1].counts.items()
