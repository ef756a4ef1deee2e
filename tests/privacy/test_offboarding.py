"""A tenant leaves: nothing of it is left but the ledger and the receipt, whatever dies meanwhile and whatever
copy comes back; another tenant is left alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from agent_platform import OPENING, Platform, answered, called, problem
from lives import LARGE, Canaries, live
from officers import Office
from served import ADMIN_KEY, Rows
from test_retention import DyingGraph
from whole_graph import Seen

from service.clock import SystemClock
from service.errors import Conflict, Unavailable
from service.graph.driver import Graph
from service.log.ledger import EntryKind, LedgerEntry
from service.log.receipts import Receipt, hold_against, receipt_sha256
from service.model.privacy import Destruction
from service.usecases.manage_signing_key import trusted_keys
from service.usecases.offboard_tenant import OffboardTenant

HOLD = {"hold_id": "h1", "user_id": "u-ben", "basis": "Section 17", "expires_at": "2099-01-01T00:00:00Z"}
NAME = "MATCH (t:Tenant {tenant_id: $t}) RETURN t.name AS name"
LEFT = "MATCH (n) WHERE n.tenant_id = $t RETURN labels(n) AS labels"


@pytest.fixture(autouse=True)
def at_once(office: Office) -> Iterator[None]:
    """No other process knows the tenant's keys."""
    offboarding = office.privacy.offboarding
    usual, offboarding.settle_s = offboarding.settle_s, 0.0
    yield
    offboarding.settle_s = usual


@pytest.fixture
def operator(office: Office) -> Platform:
    return Platform(office.platform.http, ADMIN_KEY, "")


async def name_of(office: Office, rows: Rows) -> str:
    [found] = await rows(NAME, t=office.platform.tenant_id)
    return str(found["name"])


async def planned(operator: Platform, name: str) -> Any:
    answer = await operator.send("POST", f"/v1/tenants/{name}/offboarding")
    assert answer.status_code == 200, answer.text
    return answer.json()


def entries(office: Office) -> list[LedgerEntry]:
    known = office.custody.ledger.read(trusted_keys(office.custody.keys_folder))
    return [one for one in known if one.what is Destruction.OFFBOARDING and one.tenant_id == tenant(office)]


def tenant(office: Office) -> str:
    return office.platform.tenant_id


async def is_gone(office: Office, rows: Rows) -> None:
    assert await rows(LEFT, t=tenant(office)) == []
    assert [path async for path, *_ in office.custody.blobs.walk(tenant(office))] == []
    assert office.custody.data_keys.scopes(tenant(office)) == []


async def test_nothing_is_left_of_a_tenant_but_the_ledger_and_the_receipt(
    office: Office, stranger: Office, operator: Platform, rows: Rows
) -> None:
    new = Canaries()
    await live(office.platform, new)
    await live(stranger.platform, Canaries())
    name, theirs = await name_of(office, rows), await Seen.of(rows, tenant(stranger))
    plan = await planned(operator, name)
    assert plan["nodes"]["Tenant"] == 1 and plan["nodes"]["ApiKey"] == 2 and plan["blobs"] >= 2
    before = await Seen.of(rows, tenant(office))
    assert sum(plan["nodes"].values()) == len(before.nodes)
    assert sum(plan["edges"].values()) == sum(map(len, before.edges.values()))
    body = {"plan_digest": plan["plan_digest"]}
    answer = await operator.send("POST", f"/v1/tenants/{name}/offboarding/approve", body)
    assert answer.status_code == 200, answer.text
    problem(await office.platform.record(*OPENING), 401, "unauthorized")
    problem(await office.second.send("GET", "/v1/privacy-requests"), 401, "unauthorized")
    await office.privacy.carrying_out.settled()
    shown = await operator.send("GET", f"/v1/offboardings/{answer.json()['request_uid']}")
    assert shown.json()["state"] == "fulfilled", shown.text
    receipt = shown.json()["receipt"]
    assert receipt["nodes"] == plan["nodes"] and receipt["edges"] == plan["edges"]
    assert receipt["stores"]["blobs"]["number"] == plan["blobs"]
    await is_gone(office, rows)
    assert await Seen.of(rows, tenant(stranger)) == theirs
    assert (await stranger.platform.record(*OPENING, at="later")).status_code == 201
    text = office.privacy.offboarding.receipt(shown.json()["request_uid"])
    assert text is not None
    keys = trusted_keys(office.custody.keys_folder)
    hold_against(Receipt.verified(text, keys), text, office.custody.ledger.read(keys))
    [everything] = await rows("MATCH (n) RETURN collect(toString(properties(n).text)) AS texts")
    assert not [one for one in new.all if one in str(everything)]
    problem(await operator.send("POST", f"/v1/tenants/{name}/offboarding"), 404, "not_found")


async def test_a_legal_hold_or_a_plan_that_is_no_longer_true_keeps_the_tenant(
    office: Office, operator: Platform, rows: Rows
) -> None:
    await live(office.platform, Canaries())
    name = await name_of(office, rows)
    plan = await planned(operator, name)
    await office.platform.recorded(*OPENING, called("c1"), answered("c1", "x" * LARGE), at="more")
    path = f"/v1/tenants/{name}/offboarding/approve"
    problem(await operator.send("POST", path, {"plan_digest": plan["plan_digest"]}), 409, "conflict")
    made = await office.first.send("POST", "/v1/legal-holds", HOLD)
    assert made.status_code == 201, made.text
    plan = await planned(operator, name)
    assert plan["holds"] == 1
    problem(await operator.send("POST", path, {"plan_digest": plan["plan_digest"]}), 409, "conflict")
    problem(await office.first.send("POST", f"/v1/tenants/{name}/offboarding"), 403, "forbidden")
    assert entries(office) == []


async def test_an_offboarding_that_dies_anywhere_is_gone_on_with_and_counts_once(
    office: Office, graph: Graph, rows: Rows, neo4j_server: Any
) -> None:
    await live(office.platform, Canaries())
    use_case = office.privacy.offboarding
    plan = await use_case.plan(await name_of(office, rows))
    begun = await use_case.begin(await name_of(office, rows), plan.digest())
    died, server = 0, neo4j_server
    async with DyingGraph(server.uri, server.user, server.password, server.name) as dying:
        for writes in (0, 1, 2, 3, 5, 8):
            dying.writes_left = writes
            try:
                await replace(use_case, graph=dying, settle_s=0.0).go_on()
            except Unavailable:
                died += 1
            await graph.write(lambda tx: _freed(tx, tenant(office)))
    assert died >= 3
    await use_case.go_on()
    await is_gone(office, rows)
    text = use_case.receipt(begun.request_uid)
    assert text is not None
    receipt = Receipt.verified(text, trusted_keys(office.custody.keys_folder))
    assert (receipt.nodes, receipt.edges) == (plan.nodes, plan.edges)
    assert [one.kind for one in entries(office)] == [EntryKind.BEGUN, EntryKind.ENDED]
    assert entries(office)[1].receipt_sha256 == receipt_sha256(text)
    assert await use_case.go_on() == 0


async def test_a_copy_that_comes_back_is_offboarded_again(office: Office, graph: Graph, rows: Rows) -> None:
    await live(office.platform, Canaries())
    use_case, name = office.privacy.offboarding, await name_of(office, rows)
    begun = await use_case.begin(name, (await use_case.plan(name)).digest())
    await use_case.carry_out(begun)
    receipt = use_case.receipt(begun.request_uid)
    await graph.write(lambda tx: _restored(tx, tenant(office), name))
    restored = replace(office.custody, mark_name=f"restored-{tenant(office)}")
    again = OffboardTenant(
        graph,
        restored,
        use_case.signer,
        replace(use_case.known, mark_name=restored.mark_name),
        SystemClock(),
        0.0,
    )
    replay = replace(office.privacy.replay, known=again.known, offboarding=again)
    assert await replay() >= 1
    await is_gone(office, rows)
    assert again.receipt(begun.request_uid) == receipt, "there is one receipt"
    assert len(entries(office)) == 2


async def test_a_tenant_whose_person_is_being_erased_stays(office: Office, rows: Rows) -> None:
    await live(office.platform, Canaries())
    await office.asked("r1", "u-ben")
    name = await name_of(office, rows)
    await rows_written(office, "MATCH (r:PrivacyRequest {tenant_id: $t}) SET r.stage = 'begun'")
    plan = await office.privacy.offboarding.plan(name)
    with pytest.raises(Conflict):
        await office.privacy.offboarding.begin(name, plan.digest())
    await rows_written(office, "MATCH (r:PrivacyRequest {tenant_id: $t}) SET r.stage = 'received'")


async def rows_written(office: Office, cypher: str) -> None:
    async def work(tx: Any) -> None:
        await (await tx.run(cypher, {"t": tenant(office)})).consume()

    await office.privacy.offboarding.graph.write(work)


async def _freed(tx: Any, tenant_id: str) -> None:
    cypher = (
        "MATCH (l:JobLease {name: 'offboarding/' + $t}) SET l.expires_at = datetime('2000-01-01T00:00:00Z')"
    )
    await (await tx.run(cypher, {"t": tenant_id})).consume()


async def _restored(tx: Any, tenant_id: str, name: str) -> None:
    """A few nodes, as an older copy of the database has them."""
    cypher = (
        "CREATE (:Tenant {tenant_id: $t, uid: $t, name: $name}), (:Payload {tenant_id: $t, body: 'old'}), "
        "(:Event {tenant_id: $t, uid: 'old-' + $t})"
    )
    await (await tx.run(cypher, {"t": tenant_id, "name": name})).consume()
