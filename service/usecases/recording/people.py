"""Whom a batch names: nothing is recorded of somebody who was erased."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from service.errors import Gone
from service.graph.driver import Transaction
from service.model.events import AnyBatch
from service.usecases.erased_ids import ErasedIds
from service.usecases.recording.projection import Known, Logged
from service.usecases.recording.projection.rows import Row
from service.usecases.recording.references import named_ids


def named_digests(erased: ErasedIds, batch: AnyBatch) -> dict[str, str]:
    """Where a batch names its conversation and people, by the digests of their ids."""
    found = {erased.digest("conversation", batch.conversation_id): "conversation_id"}
    for user_id in named_ids(batch)["user_ids"]:
        found[erased.digest("user", user_id)] = where_named(batch, user_id)
    return found


async def refuse_erased(
    tx: Transaction,
    tenant_id: str,
    erased: ErasedIds,
    batch: AnyBatch,
    opened: Row,
    digests: Mapping[str, str],
) -> None:
    """Raise Gone where a batch names an erased person, seat or conversation.

    This is before anything else is said of the batch. Who is erased while it is recorded is seen again under
    the branch's lock.
    """
    for digest, location in digests.items():
        if digest in opened["erased"]:
            raise Gone(location)
    conversation = opened["conversation"]
    if conversation is None:
        return
    if conversation["ended"]:
        raise Gone("conversation_id")
    for row in opened["participants"]:
        if row["ended"]:
            raise Gone(_seat(batch, row["participant_id"]))
    found = {row["participant_id"] for row in opened["participants"]}
    unknown = [one for one in named_ids(batch)["participant_ids"] if one not in found]
    await erased.refuse(
        tx,
        tenant_id,
        {erased.digest("participant", one, conversation["uid"]): _seat(batch, one) for one in unknown},
    )


@dataclass(frozen=True, slots=True)
class People:
    """All whom the events of a batch are about, and those who speak in it."""

    owner_uid: str | None
    events: Sequence[frozenset[str]]
    """The people of each event."""
    seated: frozenset[str]

    @classmethod
    def of(cls, known: Known, logged: Sequence[Logged]) -> People:
        """Those of a batch that was projected."""
        seated = frozenset(row["user_uid"] for row in known.participants.values() if row["user_uid"])
        return cls(known.owner_user_uid, [frozenset(entry.subject_uids) for entry in logged], seated)

    @property
    def uids(self) -> frozenset[str]:
        """All of them."""
        owner = frozenset((self.owner_uid,)) if self.owner_uid else frozenset[str]()
        return self.seated.union(owner, *self.events)

    def place_of(self, uids: Collection[str]) -> str:
        """Where the batch has the first of some of them."""
        if self.owner_uid in uids:
            return "conversation_id"
        found = (f"events[{at}]" for at, people in enumerate(self.events) if not people.isdisjoint(uids))
        return next(found, "events")


def where_named(batch: AnyBatch, user_id: str) -> str:
    """The field in which a batch names a user first."""
    for at, event in enumerate(batch.events):
        if user_id == getattr(event, "user_id", None):
            return f"events[{at}].user_id"
        if user_id in event.subject_ids:
            return f"events[{at}].subject_ids"
    return "events"


def _seat(batch: AnyBatch, participant_id: str) -> str:
    """The event that names a participant first, by the field where it is the event's own."""
    for at, event in enumerate(batch.events):
        if participant_id == getattr(event, "participant_id", None):
            return f"events[{at}].participant_id"
    return "events"
