"""The rules that always hold, for the end of any test that has written something."""

from __future__ import annotations

from service.graph.driver import Graph
from service.graph.inspection import broken_invariants


async def assert_rules_hold(graph: Graph, tenant_id: str) -> None:
    """Fail with the invariants that this tenant's data breaks."""
    assert await broken_invariants(graph, tenant_id) == {}
