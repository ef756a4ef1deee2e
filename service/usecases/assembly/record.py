"""What is kept of an assembly: ids and numbers only, no text of anybody's."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

from service.ids import new_uid
from service.model.verdict import REASONS, Reason
from service.model.vocabulary import Section
from service.usecases.assembly.choosing import Chosen
from service.usecases.assembly.factors import as_json, counted
from service.usecases.assembly.sections import Written

ASSEMBLER_VERSION = "2"
"""Raised when the same inputs would be written out otherwise."""
OMITTED_UIDS_MAX = 50
"""Uids kept per reason; the count is always whole."""
HIDDEN = {Reason.PRIVATE_TO_OTHER.value}
"""Reasons whose items belong to other participants: not even their number is shown."""


@dataclass(frozen=True, slots=True)
class RecordRows:
    """Rows of the query `context_assembly/record_assembly`, and the omissions as answered."""

    assembly: dict[str, Any]
    decisions: list[dict[str, Any]]
    memories: list[dict[str, Any]]
    user_memories: list[dict[str, Any]]
    passages: list[dict[str, Any]]
    rehydrated: list[str]
    omissions: list[dict[str, Any]]

    def parameters(self) -> dict[str, Any]:
        """As the query takes them."""
        return {
            "assembly": self.assembly,
            "decisions": self.decisions,
            "memories": self.memories,
            "user_memories": self.user_memories,
            "passages": self.passages,
            "rehydrated": self.rehydrated,
        }


def record_rows(
    assembly_uid: str,
    chosen: Chosen,
    written: Written,
    *,
    encoding: str,
    render_s: float,
    trace: bool,
) -> RecordRows:
    """The record of one assembly; with `trace`, every omitted uid is kept and not only the first ones."""
    asked, plan, scope = chosen.asked, chosen.plan, chosen.candidates.scope
    policy_version = chosen.policy_version
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
            "policy": REASONS[reason].policy,
            "count": len(uids),
            "uids": uids if trace else uids[:OMITTED_UIDS_MAX],
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
        "profile_source": asked.governing.profile_source.value,
        "agent": asked.governing.agent,
        "policy_version": policy_version,
        "configuration_version": asked.configuration.version(),
        "configuration_number": asked.configuration_number,
        "assembler_version": ASSEMBLER_VERSION,
        "compaction_uid": plan.compaction.uid if plan.compaction else None,
        "embedding_model": chosen.candidates.query.model if chosen.candidates.query else None,
        "encoding": encoding,
        "budget_tokens": asked.budget_tokens,
        "assembled_tokens": written.tokens,
        "prefix_tokens": written.prefix_tokens,
        "full_transcript_tokens": scope.transcript_tokens,
        "legacy_message_count": scope.transcript_items,
        "assembled_message_count": len(written.turns),
        "branch_excluded_count": chosen.candidates.elsewhere_items,
        "candidate_count": chosen.candidates.count,
        "selected_count": selected,
        "rehydrated_count": len(plan.exchange.exact),
        "redacted_count": scope.redacted_count,
        "exact": list(asked.exact),
        "question": asked.question,
        "sections": json.dumps(sections),
        "omissions": json.dumps(omissions),
        "factors": as_json(counted(chosen.candidates, plan, selected)),
        "tools": json.dumps(asked.tools),
        "tools_tokens": asked.tools_tokens,
        "trace": trace,
        "graph_ms": round(chosen.graph_s * 1000, 3),
        "policy_ms": round(chosen.policy_s * 1000, 3),
        "render_ms": round(render_s * 1000, 3),
        "created_at": asked.now,
    }
    by_policy: Counter[str] = Counter()
    for reason, uids in plan.omissions.by_reason.items():
        by_policy[REASONS[reason].policy] += len(uids)
    decisions = [
        {
            "uid": new_uid(),
            "policy": policy,
            "policy_version": policy_version,
            "omitted_count": count,
            "reasons": sorted(r.value for r in plan.omissions.by_reason if REASONS[r].policy == policy),
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
        for item, (_, records) in zip(section.items, plan.memories, strict=False)
    ]
    known = [
        {"uid": item.uid, "rank": plan.ranks.get(item.uid, 0), "tokens": item.tokens}
        for section in written.sections
        if section.section is Section.USER_MEMORIES
        for item in section.items
    ]
    passages = [
        {"uid": item.uid, "rank": plan.ranks.get(item.uid, 0), "tokens": item.tokens}
        for section in written.sections
        if section.section is Section.KNOWLEDGE_PASSAGES
        for item in section.items
    ]
    rehydrated = [memory.artifact_uid for memory in plan.exchange.exact]
    return RecordRows(assembly, decisions, memories, known, passages, rehydrated, omissions)
