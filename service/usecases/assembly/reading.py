"""Read a scope and its candidates, bounded, within one transaction."""

from __future__ import annotations

from service.errors import NotFound
from service.graph import assemblies
from service.graph.driver import Transaction
from service.model.lineage import Lineage
from service.usecases.assembly.request import Candidates, Scope

MESSAGES_MAX = 512
MEMORIES_MAX = 512
CALLS_MAX = 256
"""Candidates read of each kind, newest first. Constant, so that a larger budget sees no other candidates."""


async def read_scope(
    tx: Transaction, tenant_id: str, where: tuple[str, str, str], as_of: int
) -> tuple[Scope, int, str | None]:
    """The branch up to `as_of`, the tenant's active configuration, and the agent profile of the seat.

    `where` is conversation, branch and participant by client id. Raises NotFound where one of them is
    missing or another tenant's.
    """
    conversation_id, branch_id, participant_id = where
    row = await assemblies.open_for_assembly.one(
        tx,
        tenant_id=tenant_id,
        conversation_id=conversation_id,
        branch_id=branch_id,
        participant_id=participant_id,
        as_of=as_of,
    )
    if row is None:
        raise NotFound("conversation with this branch and participant")
    lineage = Lineage.of(row["branch_ref"], row["lineage"], row["cutoffs"], row["head"])
    scope = Scope(
        conversation_uid=row["conversation_uid"],
        branch_ref=row["branch_ref"],
        lineage=lineage.up_to(as_of),
        participant_uid=row["participant_uid"],
        run_seq=next(iter(row["run_seqs"]), 0),
        user_seq=next(iter(row["user_seqs"]), 0),
        transcript_tokens=row["transcript_tokens"],
        transcript_items=row["transcript_items"],
    )
    return scope, row["active_version"], row["agent"]


async def read_candidates(tx: Transaction, tenant_id: str, scope: Scope) -> Candidates:
    """Messages, memories and open calls of the scope's lineage."""
    stretches = scope.lineage.parameters()
    messages = await assemblies.list_messages.many(
        tx, tenant_id=tenant_id, stretches=stretches, user_seq=scope.user_seq, limit=MESSAGES_MAX
    )
    memories = await assemblies.list_memories.many(
        tx, tenant_id=tenant_id, stretches=stretches, limit=MEMORIES_MAX
    )
    calls = await assemblies.list_open_calls.many(
        tx, tenant_id=tenant_id, stretches=stretches, seen_seq=scope.run_seq, limit=CALLS_MAX
    )
    return Candidates(
        scope=scope,
        messages=tuple(map(assemblies.message, messages)),
        memories=tuple(map(assemblies.memory, memories)),
        calls=tuple(map(assemblies.call, calls)),
    )
