"""The checks are content with what the service records, and see each fault."""

from __future__ import annotations

import pytest
from prometheus_client import REGISTRY

from jobs import check_invariants, check_lineages
from jobs.job import Deps
from service.embedded import Database
from service.graph.driver import Graph, Transaction
from service.graph.inspection import list_lineages
from service.graph.query import Row
from service.ids import new_uid
from service.log.lineages import agrees

GRANDCHILD = "MATCH (b:Branch {tenant_id: $t, branch_id: 'grandchild'})"
FAULTS = {
    "another cutoff": f"{GRANDCHILD} SET b.cutoffs = [5, 7]",
    "a lineage too short": f"{GRANDCHILD} SET b.lineage = b.lineage[1..], b.cutoffs = b.cutoffs[1..]",
    "another base": f"{GRANDCHILD} SET b.base = 5",
    "no edge": f"{GRANDCHILD}-[i:INHERITS]->() DELETE i",
    "two edges": f"{GRANDCHILD}, (p:Branch {{tenant_id: $t, branch_id: 'late'}}) "
    "CREATE (b)-[:INHERITS {cutoff: 6}]->(p)",
    "an edge beyond the parent": f"{GRANDCHILD}-[i:INHERITS]->() SET i.cutoff = 600",
    "an edge at another seq": f"{GRANDCHILD}-[i:INHERITS]->() SET i.cutoff = 5",
}
UIDS = "MATCH (b:Branch {tenant_id: $t}) RETURN b.uid AS uid"
FAULTY = """
CREATE (:Tenant {tenant_id: $t, uid: $t, name: $t})
CREATE (:ToolCall {tenant_id: $t, uid: $t, call_id: $t})
"""


async def test_recorded_forks_store_what_their_edges_say(graph: Graph, tenant_id: str) -> None:
    branches = await branches_of(graph, tenant_id)
    assert sorted(len(branch["lineage"]) for branch in branches) == [0, 1, 1, 2]
    assert all(agrees(branch) for branch in branches)


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_lineage_that_contradicts_its_edge_is_seen(graph: Graph, tenant_id: str, fault: str) -> None:
    await graph.write(lambda tx: tx.run(FAULTS[fault], {"t": tenant_id}))
    wrong = [one for one in await branches_of(graph, tenant_id) if not agrees(one)]
    assert len(wrong) == 1


async def test_lineages_of_all_tenants_are_checked_page_by_page(
    deps: Deps, tenant_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_lineages, "BATCH_ROWS", 3)
    monkeypatch.setattr(check_lineages, "UIDS_MAX", 1000)
    await deps.graph.write(lambda tx: tx.run(FAULTS["another base"], {"t": tenant_id}))
    report = await check_lineages.run(deps, dry_run=False)
    [wrong] = [
        branch["branch_uid"] for branch in await branches_of(deps.graph, tenant_id) if not agrees(branch)
    ]
    assert wrong in report["branch_uids"]
    assert not report["sound"]
    assert report["branches"] >= 4
    assert REGISTRY.get_sample_value("runtime_graph_wrong_lineages") == report["wrong"] >= 1


async def test_a_report_names_only_some_branches_and_counts_all(
    deps: Deps, tenant_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_lineages, "UIDS_MAX", 0)
    await deps.graph.write(lambda tx: tx.run(FAULTS["another base"], {"t": tenant_id}))
    report = await check_lineages.run(deps, dry_run=True)
    assert report["branch_uids"] == []
    assert report["wrong"] >= 1


async def test_rules_are_counted_over_the_tenants(graph: Graph, tenant_id: str) -> None:
    assert await check_invariants.check(graph, [tenant_id]) == {
        "sound": True,
        "tenants": 1,
        "unfinished": 0,
        "broken": {},
    }
    faulty = await faulty_tenant(graph)
    report = await check_invariants.check(graph, [tenant_id, faulty])
    assert (report["sound"], report["tenants"]) == (False, 2)
    assert report["broken"]["tool_call_without_one_artifact"] == 1


async def test_a_tenant_that_could_not_be_checked_is_not_called_sound(neo4j_server: Database) -> None:
    closed = Graph(neo4j_server.uri, neo4j_server.user, neo4j_server.password)
    await closed.close()
    report = await check_invariants.check(closed, ["one", "two"])
    assert report == {"sound": False, "tenants": 2, "unfinished": 2, "broken": {}}


async def test_a_broken_rule_of_any_tenant_is_found_and_shown_as_a_metric(deps: Deps) -> None:
    await faulty_tenant(deps.graph)
    report = await check_invariants.run(deps, dry_run=False)
    assert not report["sound"]
    rule = {"invariant": "tool_call_without_one_artifact"}
    shown = REGISTRY.get_sample_value("runtime_graph_invariant_offences", rule)
    assert shown == report["broken"]["tool_call_without_one_artifact"] >= 1


async def faulty_tenant(graph: Graph) -> str:
    """A tenant with a call that has no artifact."""
    tenant_id = new_uid()
    await graph.write(lambda tx: tx.run(FAULTY, {"t": tenant_id}))
    return tenant_id


async def branches_of(graph: Graph, tenant_id: str) -> list[Row]:
    """The job's rows of one tenant's branches."""

    async def work(tx: Transaction) -> list[Row]:
        found = await (await tx.run(UIDS, {"t": tenant_id})).value()
        rows = await list_lineages.many(tx, after=0, limit=100_000)
        return [row for row in rows if row["branch_uid"] in found]

    return await graph.read(work)
