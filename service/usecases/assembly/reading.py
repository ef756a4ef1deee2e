"""Read a scope and its candidates, bounded, in one transaction."""

from __future__ import annotations

from dataclasses import dataclass

from service.errors import NotFound
from service.graph import assemblies
from service.graph.query import Transaction
from service.model.lineage import Lineage
from service.usecases.assembly.request import Asked, Candidates, Scope

MESSAGES_MAX = 512
MEMORIES_MAX = 512
CALLS_MAX = 256
"""Candidates read of each kind, newest first. Constant, so that a larger budget sees no other candidates."""


@dataclass(frozen=True, slots=True)
class ReadCandidates:
    """The unit of work for one request."""

    tenant_id: str
    asked: Asked

    async def __call__(self, tx: Transaction) -> Candidates:
        """Raises NotFound where conversation, branch or participant is missing or another tenant's."""
        asked = self.asked
        row = await assemblies.open_for_assembly.one(
            tx,
            tenant_id=self.tenant_id,
            conversation_id=asked.conversation_id,
            branch_id=asked.branch_id,
            participant_id=asked.participant_id,
        )
        if row is None:
            raise NotFound("conversation with this branch and participant")
        lineage = Lineage.of(row["branch_ref"], row["lineage"], row["cutoffs"], row["head"])
        scope = Scope(
            conversation_uid=row["conversation_uid"],
            branch_ref=row["branch_ref"],
            lineage=lineage,
            participant_uid=row["participant_uid"],
            run_seq=next(iter(row["run_seqs"]), 0),
            user_seq=next(iter(row["user_seqs"]), 0),
            transcript_tokens=row["transcript_tokens"],
            transcript_items=row["transcript_items"],
        )
        stretches = lineage.parameters()
        messages = await assemblies.list_messages.many(
            tx,
            tenant_id=self.tenant_id,
            stretches=stretches,
            user_seq=scope.user_seq,
            limit=MESSAGES_MAX,
        )
        memories = await assemblies.list_memories.many(
            tx, tenant_id=self.tenant_id, stretches=stretches, limit=MEMORIES_MAX
        )
        calls = await assemblies.list_open_calls.many(
            tx, tenant_id=self.tenant_id, stretches=stretches, seen_seq=scope.run_seq, limit=CALLS_MAX
        )
        return Candidates(
            scope=scope,
            messages=tuple(map(assemblies.message, messages)),
            memories=tuple(map(assemblies.memory, memories)),
            calls=tuple(map(assemblies.call, calls)),
        )
