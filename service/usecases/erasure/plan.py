"""What an erasure would do: the erasure itself, without erasing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from service.model.chain import canonical
from service.model.privacy import Fate
from service.storage.blobs import Blobs
from service.storage.data_keys import DataKeys
from service.usecases.erasure.cascade import Cascade
from service.usecases.erasure.mixed import TakeOut
from service.usecases.erasure.people import Person
from service.usecases.erasure.tally import Counts, Tally

REVIEW_MAX: Final = 1_000
"""Events and seats that a plan lists for review, of each kind; all are counted."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be done, as counts, and what somebody should look at before, as uids."""

    counts: Counts
    redacted: int
    """Events of others that would be told in other words."""
    derived: int
    """Summary lines and learned things that would be told again from what is left."""
    review: tuple[str, ...]
    """Events of others that name the person too; by default what the person is called is redacted in them."""
    review_count: int
    unknown_speakers: tuple[str, ...]
    """Seats of humans beside the person of whom nobody said who they are."""
    mentions: tuple[str, ...]
    """Events that hold a name of the person and of which nobody said that they are about the person; they
    stay."""
    mention_count: int
    holds: int
    """Legal holds in force on the person: what they cover is sealed and kept."""
    decided: tuple[str, ...] = ()
    """Events of others that go as a whole, by decision."""
    corrections: str | None = None
    """Of a rectification: the SHA-256 of its corrections, in hex."""

    @classmethod
    def of(cls, stored: str) -> Plan:
        """From its stored text."""
        return cls(**json.loads(stored))

    def stored(self) -> str:
        """As it is kept on the request."""
        return canonical({name: getattr(self, name) for name in self.__slots__})

    def digest(self) -> str:
        """SHA-256 over all of it, in hex: what an approval is for."""
        return hashlib.sha256(self.stored().encode()).hexdigest()

    def moved(self, other: Plan, tolerance: float) -> bool:
        """Whether another plan of the person says more or less than this, beyond a share of each count."""
        mine, theirs = self._numbers(), other._numbers()
        return any(
            abs(mine.get(name, 0) - theirs.get(name, 0)) > tolerance * mine.get(name, 0)
            for name in mine.keys() | theirs.keys()
        )

    def _numbers(self) -> Mapping[str, int]:
        flat = {f"{group}.{name}": n for group, of in self.counts.items() for name, n in of.items()}
        return flat | {"redacted": self.redacted, "derived": self.derived, "review": self.review_count}


def by_decision(decisions: Mapping[str, Any]) -> frozenset[str]:
    """Uids of the events of others that an officer decided to erase whole."""
    return frozenset(uid for uid, fate in decisions.items() if fate == Fate.ERASE)


async def plan(
    cascade: Cascade,
    take_out: TakeOut,
    blobs: Blobs,
    keys: DataKeys,
    *,
    holds: int,
    mentions: Sequence[str],
) -> Plan:
    """The plan of a person's erasure; nothing is changed."""
    mixed = await take_out.run()
    whole = Tally()
    async for tally in cascade.deciding(mixed.decided).run():
        whole.merge(tally)
    whole.stores.update(await scopes_count(blobs, keys, cascade.tenant_id, cascade.person))
    return Plan(
        counts=whole.counts(),
        redacted=len(mixed.redacted),
        derived=mixed.derived + len(cascade.learned),
        review=tuple(mixed.events[:REVIEW_MAX]),
        review_count=len(mixed.events),
        unknown_speakers=cascade.person.unknown_speakers[:REVIEW_MAX],
        mentions=tuple(mentions[:REVIEW_MAX]),
        mention_count=len(mentions),
        holds=holds,
        decided=tuple(sorted(mixed.chosen)),
    )


def scopes_of(keys: DataKeys, tenant_id: str, person: Person) -> list[tuple[str, ...]]:
    """Every set of people with a data key that the person is in."""
    return sorted({scope for uid in person.uids for scope in keys.scopes_of(tenant_id, uid)})


async def scopes_count(blobs: Blobs, keys: DataKeys, tenant_id: str, person: Person) -> dict[str, int]:
    """Data keys to destroy, and the blobs that are sealed under them, with their bytes in the store."""
    scopes = scopes_of(keys, tenant_id, person)
    sizes = [size for scope in scopes async for _, size in blobs.list_scope(tenant_id, scope)]
    return {"data_keys": len(scopes), "blobs": len(sizes), "blob_bytes": sum(sizes)}
