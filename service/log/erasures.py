"""When a missing payload is no fault: what the ledger says was destroyed, and how much of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from service.log.ledger import EVENTS, EntryKind, LedgerEntry
from service.model.privacy import Destruction


class Destroyed(Protocol):
    """Whoever knows what was destroyed."""

    def allows(self, row: Mapping[str, Any]) -> bool:
        """Whether the payload of an entry of the log may be missing."""
        ...


@dataclass(frozen=True, slots=True)
class Miscount:
    """More payloads are missing in the name of a destruction than it destroyed: somebody removed others under
    its cover."""

    request_uid: str
    destroyed: int
    missing: int

    def __str__(self) -> str:
        counts = f"the ledger has {self.destroyed} payloads, and {self.missing} are missing in its name"
        return f"request {self.request_uid}: {counts}"


@dataclass(frozen=True, slots=True)
class Erasures:
    """What entries of the ledger allow; those of other tenants allow nothing of this one's."""

    begun: Mapping[str, LedgerEntry] = field(default_factory=dict)
    """By the uid of the request that an event's `erased_by` names."""
    destroyed: Mapping[str, int] = field(default_factory=dict)
    """How many events lost their payloads to each request that has ended."""
    ended_at: Mapping[str, str] = field(default_factory=dict)
    """When each request ended, as its entry has it."""

    @classmethod
    def of(cls, entries: Iterable[LedgerEntry]) -> Erasures:
        """From entries whose signatures were checked."""
        begun, destroyed, ended_at = {}, {}, {}
        for entry in entries:
            if entry.kind is EntryKind.BEGUN:
                begun[entry.request_uid] = entry
            else:
                destroyed[entry.request_uid] = entry.counts.get(EVENTS, 0)
                ended_at[entry.request_uid] = entry.at
        return cls(begun, destroyed, ended_at)

    def allows(self, row: Mapping[str, Any]) -> bool:
        """The entry that `erased_by` names was begun for the event's tenant, and the event names one of its
        people or nobody, as what an agent says in a conversation without a user; where retention destroyed
        it, or the whole tenant left, it is older than that.

        An event of others may be older than the end: it referred to what was erased and has other words now.
        How many there are is counted with the others: see `miscounts`.
        """
        entry = self.begun.get(row.get("erased_by") or "")
        if entry is None or entry.tenant_id != row["tenant_id"]:
            return False
        if entry.what is Destruction.RETENTION or not entry.subject_uids:
            is_older: bool = row["at"] <= entry.at
            return is_older and entry.what in (Destruction.RETENTION, Destruction.OFFBOARDING)
        people = row["subject_uids"]
        if not people or not set(entry.subject_uids).isdisjoint(people):
            return True
        ended_at = self.ended_at.get(entry.request_uid)
        return ended_at is not None and row["at"] <= ended_at

    def miscounts(self, missing: Mapping[str, int]) -> tuple[Miscount, ...]:
        """Where more payloads are missing than were destroyed, of requests that have ended.

        Fewer are no fault of the log: a database restored from an older copy has fewer of the events.
        """
        return tuple(
            Miscount(request_uid, self.destroyed[request_uid], count)
            for request_uid, count in sorted(missing.items())
            if count > self.destroyed.get(request_uid, count)
        )


NOTHING_ERASED = Erasures()
