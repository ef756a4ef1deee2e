"""What is kept of an assembly: ids and numbers only, no text of anybody's."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

from service.ids import new_uid
from service.model.verdict import POLICY_OF
from service.model.vocabulary import Section
from service.usecases.assembly.plan import Plan
from service.usecases.assembly.request import Asked, Candidates
from service.usecases.assembly.writing import Written

OMITTED_UIDS_MAX = 50
"""Uids kept per reason; the count is always whole."""


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds spent on reading the graph, on policy, and on writing the context out."""

    graph_s: float
    policy_s: float
    render_s: float


@dataclass(frozen=True, slots=True)
class RecordRows:
    """Rows of the query `context_assembly/record_assembly`, and the omissions as answered."""

    assembly: dict[str, Any]
    decisions: list[dict[str, Any]]
    memories: list[dict[str, Any]]
    omissions: list[dict[str, Any]]

    def parameters(self) -> dict[str, Any]:
        """As the query takes them."""
        return {"assembly": self.assembly, "decisions": self.decisions, "memories": self.memories}


def record_rows(
    assembly_uid: str,
    asked: Asked,
    candidates: Candidates,
    plan: Plan,
    written: Written,
    timings: Timings,
    *,
    policy_version: str,
    assembler_version: str,
    encoding: str,
) -> RecordRows:
    """The record of one assembly."""
    scope = candidates.scope
    sections = [
        {
            "section": s.section.value,
            "tokens": s.tokens,
            "items": [[i.uid, i.kind, i.seq, i.tokens, i.why] for i in s.items],
        }
        for s in written.sections
    ]
    omissions = [
        {
            "reason": reason.value,
            "policy": POLICY_OF[reason],
            "count": len(uids),
            "uids": uids[:OMITTED_UIDS_MAX],
        }
        for reason, uids in sorted(plan.omissions.by_reason.items())
    ]
    selected = sum(len(s.items) for s in written.sections)
    assembly = {
        "uid": assembly_uid,
        "conversation_uid": scope.conversation_uid,
        "branch_ref": scope.branch_ref,
        "head": scope.lineage.head,
        "participant_uid": scope.participant_uid,
        "provider": asked.provider,
        "model": asked.model,
        "runtime_kind": asked.runtime_kind.value,
        "profile": asked.profile.name,
        "policy_version": policy_version,
        "configuration_version": asked.configuration.version(),
        "assembler_version": assembler_version,
        "encoding": encoding,
        "budget_tokens": asked.budget_tokens,
        "assembled_tokens": written.tokens,
        "full_transcript_tokens": scope.transcript_tokens,
        "legacy_message_count": scope.transcript_items,
        "assembled_message_count": len(written.turns),
        "candidate_count": candidates.count,
        "selected_count": selected,
        "rehydrated_count": 0,
        "sections": json.dumps(sections),
        "omissions": json.dumps(omissions),
        "graph_ms": round(timings.graph_s * 1000, 3),
        "policy_ms": round(timings.policy_s * 1000, 3),
        "render_ms": round(timings.render_s * 1000, 3),
        "created_at": asked.now,
    }
    by_policy: Counter[str] = Counter()
    for reason, uids in plan.omissions.by_reason.items():
        by_policy[POLICY_OF[reason]] += len(uids)
    decisions = [
        {
            "uid": new_uid(),
            "policy": policy,
            "policy_version": policy_version,
            "omitted_count": count,
            "reasons": sorted(r.value for r in plan.omissions.by_reason if POLICY_OF[r] == policy),
            "decided_at": asked.now,
        }
        for policy, count in sorted(by_policy.items())
    ]
    memories = [
        {
            "uid": item.uid,
            "rank": plan.ranks.get(item.uid, 0),
            "tokens": item.tokens,
            "record_indexes": list(records),
        }
        for section in written.sections
        if section.section is Section.TOOL_MEMORIES
        for item, (_, records) in zip(section.items, plan.memories, strict=True)
    ]
    return RecordRows(assembly, decisions, memories, omissions)
