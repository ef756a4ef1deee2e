"""A recorded tenant keeps every rule, and each rule notices what breaks it."""

from __future__ import annotations

import pytest

from service.graph.driver import Graph, Transaction
from service.graph.inspection import INVARIANTS, broken_invariants, outside_vocabulary

FAULTS = {
    "branch_with_broken_chain": "MATCH (e:Event {tenant_id: $t, seq: 4}) SET e.previous_hash = 'x'",
    "branch_with_gap": "MATCH (e:Event {tenant_id: $t, seq: 4}) DETACH DELETE e",
    "branch_with_wrong_closing": "MATCH (b:Branch {tenant_id: $t, branch_id: 'other'}) SET b.closed = true",
    "branch_with_wrong_head_hash": "MATCH (b:Branch {tenant_id: $t}) SET b.head_hash = 'x'",
    "branch_with_wrong_lineage": "MATCH (b:Branch {tenant_id: $t, branch_id: 'other'}) SET b.cutoffs = [6]",
    "branch_with_wrong_merges": (
        "MATCH (b:Branch {tenant_id: $t, branch_id: 'main'}), (o:Branch {tenant_id: $t, branch_id: 'other'}) "
        "CREATE (b)-[:MERGES {seq: 4, cutoff: 8}]->(o)"
    ),
    "compaction_without_event": "MATCH (c:Compaction {tenant_id: $t}) SET c.seq = c.seq - 1",
    "context_assembly_without_arithmetic": (
        "MATCH (a:ContextAssembly {tenant_id: $t}) SET a.assembled_tokens = a.budget_tokens + 1"
    ),
    "item_without_event": "MATCH (m:Message {tenant_id: $t, message_id: 'm-1'}) SET m.seq = 400",
    "knowledge_document_published_twice": (
        "WITH {tenant_id: $t, document_id: 'd', version: 1, created_at: datetime()} AS one "
        "CREATE (n:KnowledgeDocument)-[:REPLACES]->(o:KnowledgeDocument) SET n = one, n.version = 2, o = one"
    ),
    "summary_line_without_item": "MATCH (:SummaryLine {tenant_id: $t})-[r:SUMMARISES]->() DELETE r",
    "tool_artifact_without_bytes": "MATCH (a:ToolArtifact {tenant_id: $t}) REMOVE a.result",
    "tool_call_without_one_artifact": (
        "MATCH (:ToolCall {tenant_id: $t})-[r:RESULTED_IN]->(:ToolArtifact) DELETE r"
    ),
    "user_memory_superseded_wrongly": (
        "MATCH (m:UserMemory {tenant_id: $t, memory_id: 'seat'}) "
        "CREATE (m)-[:SUPERSEDES]->(:UserMemory {tenant_id: $t, uid: 'x'})-[:SUPERSEDES]->(m)"
    ),
    "tool_memory_without_source": "MATCH (:ToolMemory {tenant_id: $t})-[r:DERIVED_FROM]->() DELETE r",
}


async def test_a_recorded_tenant_keeps_every_rule(graph: Graph, recorded: str) -> None:
    assert await broken_invariants(graph, recorded) == {}


@pytest.mark.parametrize("name", INVARIANTS)
async def test_a_broken_rule_is_noticed(graph: Graph, recorded: str, name: str) -> None:
    async def break_it(tx: Transaction) -> int:
        result = await tx.run(FAULTS[name], {"t": recorded})
        return (await result.consume()).counters.contains_updates

    changed, _ = await graph.write(break_it)
    assert changed
    broken = await broken_invariants(graph, recorded)
    assert name in broken
    assert set(broken) <= {name, "branch_with_broken_chain", "item_without_event"}, "and little else"


async def test_another_tenants_fault_is_not_ones_own(graph: Graph, recorded: str, tenant_id: str) -> None:
    faulty = "CREATE (:ToolCall {tenant_id: $t, call_id: 'c', uid: $t, branch_ref: 1, seq: 1})"
    await graph.write(lambda tx: tx.run(faulty, {"t": tenant_id}))
    assert await broken_invariants(graph, tenant_id) != {}
    assert await broken_invariants(graph, recorded) == {}


async def test_what_is_recorded_stays_within_the_vocabulary(graph: Graph, recorded: str) -> None:
    """Whole maps are stored, whose keys no query spells out: so look at what the database holds."""
    assert await outside_vocabulary(graph) == []
