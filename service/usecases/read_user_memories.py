"""Read what is known of a person: what is in force, best first, and how one memory came to stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from service.clock import Clock
from service.errors import NotFound
from service.graph import user_memories
from service.graph.driver import Graph, Transaction
from service.graph.query import Row
from service.model.caller import Caller
from service.model.consistency import ConsistencyToken
from service.model.lineage import Lineage
from service.model.paging import RankingCursor
from service.model.user_memory import UserMemory
from service.model.verdict import Reason
from service.model.vocabulary import MemoryKind, ParticipantKind, RuntimeKind
from service.policies.attribution import Asker
from service.policies.user_memories import Reader, Remembered, ranked, remembered, said
from service.text.search import relevance
from service.usecases.assembly.record import HIDDEN
from service.usecases.read_transcript import NOBODY, Place, open_branch

STANDING_MAX: Final = 1_000
SUPERSEDED_MAX: Final = 10_000
"""Memories of one person that are looked at, newest first; counts reach so far."""
HISTORY_MAX: Final = 256
OVER: Final = (Reason.SUPERSEDED, Reason.RETRACTED, Reason.EXPIRED, Reason.NOT_YET_VALID)
"""Reasons for which a memory is out of force, and not one that its reader may not see."""


@dataclass(frozen=True, slots=True)
class AskedMemories:
    """Which memories of a person: like what, of which kind, how many."""

    user_id: str
    query: str | None
    kind: MemoryKind | None
    include_superseded: bool
    limit: int
    cursor: str | None


@dataclass(frozen=True, slots=True)
class ReadUserMemories:
    """The use case."""

    graph: Graph
    clock: Clock

    async def __call__(
        self, caller: Caller, asked: AskedMemories, seat: Place | None, token: ConsistencyToken
    ) -> dict[str, Any]:
        """A page of what is in force for a seat in one of the person's conversations, or for nobody in
        particular, and how many are left out by reason. Raises NotFound, InvalidRequest."""
        cursor = RankingCursor.decode(asked.cursor) or RankingCursor(self.clock(), 0)

        async def work(tx: Transaction) -> tuple[Reader, list[UserMemory]]:
            user_uid = await _user_uid(tx, caller.tenant_id, asked.user_id, seat)
            reader = await _reader(tx, caller.tenant_id, seat)
            row = await user_memories.list_of_user.sole(
                tx,
                tenant_id=caller.tenant_id,
                user_uid=user_uid,
                memory_kind=asked.kind,
                now=cursor.as_of,
                with_values=asked.include_superseded,
                standing_limit=STANDING_MAX,
                superseded_limit=SUPERSEDED_MAX,
            )
            return reader, [user_memories.user_memory(one) for one in (*row["standing"], *row["superseded"])]

        reader, memories = await self.graph.read(work, token.bookmarks)
        found = remembered(memories, reader, cursor.as_of)
        weights = relevance(asked.query or "", [said(one) for one in found.current])
        own = {one.uid: weight for one, weight in zip(found.current, weights, strict=True)}
        entries = [
            {**_told(one, found, memories), "relevance": own[one.uid] if asked.query else None}
            for _, one in ranked(found, weights)
        ]
        if asked.include_superseded:
            entries += [
                {**_told(one, found, memories), "relevance": None}
                for one in memories
                if found.omitted.get(one.uid) is Reason.SUPERSEDED
            ]
        end = _whole_conflicts(entries, cursor.offset, asked.limit)
        return {
            "user_id": asked.user_id,
            "memories": entries[cursor.offset : end],
            "omitted": _counted(found),
            "next_cursor": RankingCursor(cursor.as_of, end).encode() if end < len(entries) else None,
        }

    async def history(
        self, caller: Caller, memory_id: str, seat: Place | None, token: ConsistencyToken
    ) -> dict[str, Any]:
        """One memory, and what else was stated of the same, newest first and as far as the seat may see that.
        Raises NotFound."""
        now = self.clock()

        async def work(tx: Transaction) -> tuple[Reader, Row]:
            row = await user_memories.find_memory.one(
                tx, tenant_id=caller.tenant_id, memory_id=memory_id, now=now, limit=HISTORY_MAX
            )
            if row is None:
                raise NotFound("user memory")
            await _user_uid(tx, caller.tenant_id, row["user_id"], seat)
            return await _reader(tx, caller.tenant_id, seat), row

        reader, row = await self.graph.read(work, token.bookmarks)
        memories = [user_memories.user_memory(one) for one in row["memories"]]
        found = remembered(memories, reader, now)
        history = {one.uid: _told(one, found, memories) for one in memories if _is_shown(one, found)}
        if row["uid"] not in history:
            raise NotFound("user memory")
        memory = history.pop(row["uid"])
        return {
            **memory,
            "user_id": row["user_id"],
            "message_ids": row["message_ids"],
            "history": [*history.values()],
        }


async def _user_uid(tx: Transaction, tenant_id: str, user_id: str, seat: Place | None) -> str:
    """The person, where a seat asks only for one of that person's conversations. Raises NotFound."""
    conversation_id = seat.conversation_id if seat else None
    row = await user_memories.find_user.one(
        tx, tenant_id=tenant_id, user_id=user_id, conversation_id=conversation_id
    )
    if row is None or (seat is not None and not row["owns"]):
        raise NotFound("user")
    return str(row["uid"])


async def _reader(tx: Transaction, tenant_id: str, seat: Place | None) -> Reader:
    if seat is None:
        return Reader(Asker(NOBODY, ParticipantKind.HUMAN, RuntimeKind.CHAT, Lineage(())), agent=None)
    opened = await open_branch(tx, tenant_id, seat)
    return Reader(opened.asker, agent=opened.row["agent"] or seat.participant_id)


def _is_shown(memory: UserMemory, found: Remembered) -> bool:
    """Whether the reader may see it, in force or not."""
    reason = found.omitted.get(memory.uid)
    return reason in (None, *OVER) and (reason is not None or memory in found.current)


def _told(memory: UserMemory, found: Remembered, memories: Sequence[UserMemory]) -> dict[str, Any]:
    names = {one.uid: one.memory_id for one in memories}
    return {
        "uid": memory.uid,
        "memory_id": memory.memory_id,
        "memory_kind": memory.kind,
        "subject": memory.subject,
        "predicate": memory.predicate,
        "value": memory.value,
        "confidence": memory.confidence,
        "valid_from": memory.valid_from,
        "valid_until": memory.valid_until,
        "effective_at": memory.effective_at,
        "recorded_at": memory.recorded_at,
        "retracted_at": memory.retracted_at,
        "agent": memory.agent,
        "visibility": memory.governance.visibility,
        "privacy_class": memory.governance.privacy_class,
        "reason": found.omitted.get(memory.uid),
        "superseded_by": names.get(found.superseded.get(memory.uid, "")),
        "conflicts_with": [names[uid] for uid in found.conflicts.get(memory.uid, ())],
    }


def _counted(found: Remembered) -> dict[str, int]:
    """How many are left out by reason, without what is private to others: not even its number is told."""
    counts = Counter(found.omitted.values())
    return {reason: count for reason, count in sorted(counts.items()) if reason not in HIDDEN}


def _whole_conflicts(entries: Sequence[dict[str, Any]], start: int, limit: int) -> int:
    """Where a page ends: after `limit` entries and the other sides of the last one."""
    end = min(start + limit, len(entries))
    while start < end < len(entries) and entries[end]["memory_id"] in entries[end - 1]["conflicts_with"]:
        end += 1
    return end
