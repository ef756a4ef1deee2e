"""What is known of a person: how a memory stands to those of the same thing, and how one ends."""

from __future__ import annotations

from dataclasses import replace

from service.errors import IdTaken, InvalidRequest, UnknownReference
from service.graph.assemblies import governance
from service.model.chain import canonical
from service.model.events import RetractEvent, UserMemoryEvent
from service.model.user_memory import UserMemory
from service.model.vocabulary import PrivacyClass, Visibility
from service.policies import classification
from service.policies.user_memories import comparable, may_refer, memory_key, relate
from service.usecases.recording.projection.claims import ClaimProjection
from service.usecases.recording.projection.rows import Row
from service.usecases.recording.projection.state import NOTHING


class UserMemoryProjection(ClaimProjection):
    """Projects `user_memory` and `retract`."""

    def _user_memory(self, event: UserMemoryEvent) -> tuple[int, int]:
        if event.memory_id in self._known.user_memories:
            raise IdTaken(f"{self._at}.memory_id")
        row = self._memory_row(event)
        message_uids = [
            self._message_uid(one, f"message_ids[{number}]") for number, one in enumerate(event.message_ids)
        ]
        row |= self._as_private_as(event, [self._known.message_places[one] for one in event.message_ids])
        memory = _memory(row, event)
        standing = self._known.standing.setdefault((memory.user_uid, memory.memory_key), [])
        found = relate(memory, standing, self._corrected(event, memory))
        standing[:] = [one for one in standing if one.uid not in found.supersedes]
        if not found.superseded_by:
            standing.append(memory)
        self._known.user_memories[event.memory_id] = memory
        self.rows.user_memories.append(row)
        self.rows.memory_links.append(
            {
                "uid": memory.uid,
                "supersedes": list(found.supersedes),
                "superseded_by": list(found.superseded_by),
                "conflicts_with": list(found.conflicts_with),
                "message_uids": message_uids,
            }
        )
        return NOTHING

    def _retract(self, event: RetractEvent) -> tuple[int, int]:
        seat = self._participant_row(event.participant_id, "participant_id")
        memory = self._referred(event.memory_id, seat["uid"], "memory_id")
        ended = replace(memory, retracted_at=memory.retracted_at or self._now)
        self._known.user_memories[event.memory_id] = ended
        standing = self._known.standing.get((memory.user_uid, memory.memory_key), [])
        standing[:] = [ended if one.uid == ended.uid else one for one in standing]
        self.rows.retractions.append({"uid": memory.uid, "retracted_at": self._now})
        return NOTHING

    def _memory_row(self, event: UserMemoryEvent) -> Row:
        owner = self._participant_row(event.participant_id, "participant_id")
        user_uid = self._known.users[event.user_id] if event.user_id else self._known.owner_user_uid
        if user_uid is None:
            problem = "is needed: the conversation has no user"
            raise InvalidRequest([{"location": f"{self._at}.user_id", "problem": problem}])
        owned = self._owned(event, owner)
        stated_at = min(owned["occurred_at"], self._now)
        return {
            **self._place(),
            **owned,
            "memory_id": event.memory_id,
            "memory_kind": event.memory_kind.value,
            "memory_key": memory_key(event.subject, event.predicate),
            "user_uid": user_uid,
            "agent": event.agent,
            "stated_by": owner["user_uid"] or owner["agent"] or event.participant_id,
            "subject": event.subject,
            "predicate": event.predicate,
            "value": canonical(event.value),
            "tokens": self._count(event.value),
            "confidence": event.confidence,
            "valid_from": event.valid_from,
            "valid_until": event.valid_until,
            "effective_at": max(event.valid_from or stated_at, stated_at),
            "subject_uids": sorted({user_uid, *owned["subject_uids"]}),
        }

    def _as_private_as(self, event: UserMemoryEvent, sources: list[Row]) -> Row:
        seen = classification.memory_visibility(
            event.visibility, [Visibility(one["visibility"]) for one in sources]
        )
        kept = classification.memory_privacy(
            event.privacy_class, [PrivacyClass(one["privacy_class"]) for one in sources]
        )
        return {"visibility": seen.value, "privacy_class": kept.value}

    def _corrected(self, event: UserMemoryEvent, memory: UserMemory) -> UserMemory | None:
        if event.replaces_memory_id is None:
            return None
        seat_uid = memory.governance.participant_uid
        corrected = self._referred(event.replaces_memory_id, seat_uid, "replaces_memory_id")
        if not comparable(memory, corrected):
            problem = "must be of the same person, subject, predicate, agent and visibility"
            raise InvalidRequest([{"location": f"{self._at}.replaces_memory_id", "problem": problem}])
        return corrected

    def _referred(self, memory_id: str, seat_uid: str, name: str) -> UserMemory:
        """A memory that this conversation knows of, by its user or because it was stated here."""
        memory = self._known.user_memories.get(memory_id)
        here = memory is not None and (
            memory.user_uid == self._known.owner_user_uid
            or memory.conversation_uid == self._known.conversation_uid
        )
        own = memory is not None and any(row["uid"] == memory.uid for row in self.rows.user_memories)
        if memory is None or not here or not (own or may_refer(memory, seat_uid, self._known.lineage)):
            raise UnknownReference(f"{self._at}.{name}")
        return memory


def _memory(row: Row, event: UserMemoryEvent) -> UserMemory:
    """The row as policies read it."""
    return UserMemory(
        **{name: row[name] for name in _AS_THEY_ARE},
        kind=event.memory_kind,
        place=(row["offset"], row["part"]),
        value=event.value,
        governance=governance(row),
        subject_uids=tuple(row["subject_uids"]),
    )


_AS_THEY_ARE = (
    *("uid", "memory_id", "conversation_uid", "user_uid", "subject", "predicate", "memory_key", "stated_by"),
    *("confidence", "agent", "tokens", "effective_at", "recorded_at", "valid_from", "valid_until"),
)
