"""Gateway of what turns use and what contexts and runs cost."""

from __future__ import annotations

from service.graph.query import query

count_turn = query("model_run/count_turn")
record_decision = query("policy_decision/record_decision")
sum_costs = query("context_assembly/sum_costs")
