"""Read a scope and its candidates, bounded, within one transaction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from service.errors import Gone, LimitExceeded, NotFound
from service.graph import assemblies, compactions, knowledge_graph
from service.graph.driver import Transaction
from service.graph.query import Row
from service.model.candidates import MemoryCandidate, MessageCandidate
from service.model.lineage import Lineage
from service.model.vocabulary import ParticipantKind
from service.usecases.assembly.known import read_known
from service.usecases.assembly.request import Candidates, Scope, State
from service.usecases.erased_ids import ErasedIds
from service.usecases.recall.shelves import MESSAGES_MAX

Shared = TypeVar("Shared", MessageCandidate, MemoryCandidate)

NEWEST = 2**62
"""An `as_of` that no seq reaches."""
MEMORIES_MAX = 256
CALLS_MAX = 256
STATE_MAX = 256
INSIGHTS_MAX = 64
PINS_MAX = 1_000
"""Pins that stand on a branch: all must enter, so one more is an error and not left out."""
WIDE_MAX = 64
"""Candidates read of each kind, newest first. Constant, so that a larger budget sees no other candidates."""
BRANCHES_MAX = 1_000
"""Branches over which is counted what the asked one does not inherit."""


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
    lineage = Lineage.of_row(row)
    scope = Scope(
        conversation_uid=row["conversation_uid"],
        forked=row["forked"],
        branch_ref=row["branch_ref"],
        lineage=lineage.up_to(as_of),
        merged=Lineage.merged(row["merges"], as_of),
        participant_uid=row["participant_uid"],
        participant_kind=ParticipantKind(row["participant_kind"]),
        agent=row["agent"] or participant_id,
        run_seq=next(iter(row["run_seqs"]), 0),
        user_seq=next(iter(row["user_seqs"]), 0),
        transcript_tokens=row["transcript_tokens"],
        transcript_items=row["transcript_items"],
        known_user_uid=row["known_user_uid"],
        erasure_count=row["erasure_count"],
        redacted_count=row["redacted_count"],
        ended=row["ended"],
    )
    return scope, row["active_version"], row["agent"]


async def read_going_on(
    tx: Transaction, tenant_id: str, where: tuple[str, str, str], erased: ErasedIds
) -> tuple[Scope, int, str | None]:
    """The same of a conversation that is to go on. Raises Gone where its user was erased."""
    try:
        scope, active, agent = await read_scope(tx, tenant_id, where, NEWEST)
    except NotFound:
        await erased.refuse(tx, tenant_id, {erased.digest("conversation", where[0]): "conversation_id"})
        raise
    if scope.ended:
        raise Gone("conversation_id")
    return scope, active, agent


async def read_candidates(
    tx: Transaction, tenant_id: str, scope: Scope, conversation_id: str, now: datetime
) -> Candidates:
    """Messages, memories, open calls and state of the lineage, and what other branches shared until `now`."""
    stretches = scope.lineage.parameters()
    messages = await assemblies.list_messages.start(
        tx, tenant_id=tenant_id, stretches=stretches, user_seq=scope.user_seq, limit=MESSAGES_MAX
    )
    memories = await assemblies.list_memories.start(
        tx, tenant_id=tenant_id, stretches=stretches, limit=MEMORIES_MAX
    )
    calls = await assemblies.list_open_calls.start(
        tx,
        tenant_id=tenant_id,
        stretches=stretches,
        seen_seq=scope.run_seq,
        participant_uid=scope.participant_uid,
        limit=CALLS_MAX,
    )
    compaction = await compactions.find_standing.start(tx, tenant_id=tenant_id, stretches=stretches)
    insights = await knowledge_graph.list_standing.start(tx, tenant_id=tenant_id, now=now, limit=INSIGHTS_MAX)
    state = await read_state(tx, tenant_id, scope, conversation_id)
    wide_messages, wide_memories = await _wide(tx, tenant_id, scope, now)
    elsewhere = await _elsewhere(tx, tenant_id, scope, conversation_id)
    return Candidates(
        scope=scope,
        messages=tuple(map(assemblies.message, await messages.rows())),
        memories=tuple(map(assemblies.memory, await memories.rows())),
        calls=tuple(map(assemblies.call, await calls.rows())),
        state=replace(state, compaction=next(map(compactions.compaction, await compaction.rows()), None)),
        insights=tuple(map(knowledge_graph.insight, await insights.rows())),
        wide_messages=wide_messages,
        wide_memories=wide_memories,
        user_memories=await read_known(tx, tenant_id, scope, now),
        elsewhere_items=elsewhere,
    )


async def read_state(tx: Transaction, tenant_id: str, scope: Scope, conversation_id: str) -> State:
    """What the lineage holds beside talk and tools. Raises LimitExceeded."""
    row = await read_state_row(tx, tenant_id, conversation_id, scope.lineage, scope.participant_uid)
    return _state(row, scope)


async def read_state_row(
    tx: Transaction, tenant_id: str, conversation_id: str, lineage: Lineage, participant_uid: str
) -> Row:
    """The same as the query `branch/list_state` answers it. Raises LimitExceeded."""
    row = await assemblies.list_state.sole(
        tx,
        tenant_id=tenant_id,
        conversation_id=conversation_id,
        stretches=lineage.parameters(),
        participant_uid=participant_uid,
        limit=STATE_MAX,
        pins_limit=PINS_MAX + 1,
    )
    if len(row["pins"]) > PINS_MAX:
        raise LimitExceeded("A branch", PINS_MAX, "standing pins")
    return row


async def _wide(
    tx: Transaction, tenant_id: str, scope: Scope, now: datetime
) -> tuple[tuple[MessageCandidate, ...], tuple[MemoryCandidate, ...]]:
    """What stands outside the lineage and is merged into it, or shared with the conversation or the asker."""
    if not scope.forked:
        return (), ()
    asked = {
        "tenant_id": tenant_id,
        "conversation_uid": scope.conversation_uid,
        "participant_uid": scope.participant_uid,
        "recorded_until": now,
        "limit": WIDE_MAX,
    }
    messages = await assemblies.list_wide_messages.many(tx, **asked)
    memories = await assemblies.list_wide_memories.many(tx, **asked)
    if merged := scope.merged.parameters():
        span = {"tenant_id": tenant_id, "stretches": merged, "limit": WIDE_MAX}
        messages += await assemblies.list_messages.many(tx, **span, user_seq=0)
        memories += await assemblies.list_memories.many(tx, **span)
    return (
        _outside(map(assemblies.message, messages), scope.lineage),
        _outside(map(assemblies.memory, memories), scope.lineage),
    )


def _outside(found: Iterable[Shared], lineage: Lineage) -> tuple[Shared, ...]:
    """What does not stand in the lineage, each once, newest first."""
    once = {one.uid: one for one in found if not lineage.holds(one.governance.branch_ref, one.place[0])}
    return tuple(sorted(once.values(), key=lambda one: one.recorded_at, reverse=True))


async def _elsewhere(tx: Transaction, tenant_id: str, scope: Scope, conversation_id: str) -> int:
    if not scope.forked:
        return 0
    row = await assemblies.count_items.one(
        tx, tenant_id=tenant_id, conversation_id=conversation_id, limit=BRANCHES_MAX
    )
    return max(0, row["items"] - scope.transcript_items) if row else 0


def _state(row: Row, scope: Scope) -> State:
    """A row of `branch/list_state`; what was released elsewhere does not count here."""
    lineage = scope.lineage
    released = (s["uid"] for s in row["shared"] if lineage.holds(s["branch_ref"], s["seq"]))
    pins = sorted(map(assemblies.pin, row["pins"]), key=lambda pin: pin.place)
    return State(
        speakers={one["uid"]: assemblies.speaker(one) for one in row["participants"]},
        pins=tuple(pins),
        skills=next(map(assemblies.skill_state, row["skill_states"]), None),
        working_memory=next(map(assemblies.working_memory, row["working_memories"]), None),
        checkpoint=next(map(assemblies.checkpoint, row["checkpoints"]), None),
        releases=tuple(map(assemblies.release, row["releases"])),
        released=frozenset(released),
    )
