"""What a scan has found: where, never what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final, Self

from service.usecases.absence.needles import Needles

HITS_SHOWN_MAX: Final = 1_000
"""Hits that are kept with their place; all are counted."""
UNNAMEABLE: Final = "(its name is a needle)"


@dataclass(frozen=True, slots=True, order=True)
class Hit:
    """One place. A node's is `Label.property`, with its `uid` where the service made one."""

    store: str
    place: str
    uid: str | None = None
    needle: int | None = None
    """Position among the needles; None where a rule about erased people is broken."""


@dataclass(slots=True)
class Findings:
    """Filled while a scan goes on."""

    needles: Needles
    searched: Counter[str] = field(default_factory=Counter)
    """How many values, blobs or bytes by store."""
    counts: Counter[str] = field(default_factory=Counter)
    """Hits by store, those beyond HITS_SHOWN_MAX too."""
    hits: list[Hit] = field(default_factory=list)
    stores_of: dict[int, set[str]] = field(default_factory=dict)
    """The stores in which each needle was found."""
    uids_of: dict[int, set[str | None]] = field(default_factory=dict)
    """The uids of the nodes in which each needle was found."""
    incomplete: list[str] = field(default_factory=list)
    """Stores of which a part was not seen."""

    @property
    def absent(self) -> bool:
        """Whether everything was searched and nothing found."""
        return not self.counts and not self.incomplete

    def unseen(self, store: str | None = None) -> set[int]:
        """Needles found nowhere, or not in one store: before an erasure they prove nothing there."""
        everyone = set(range(len(self.needles.texts)))
        return everyone - {one for one, stores in self.stores_of.items() if store is None or store in stores}

    def add(self, store: str, place: str, uid: str | None = None, needle: int | None = None) -> None:
        """Note a hit; a place that has a needle in its own name is not named."""
        self.counts[store] += 1
        if needle is not None:
            self.stores_of.setdefault(needle, set()).add(store)
        if store == GRAPH and needle is not None:
            self.uids_of.setdefault(needle, set()).add(uid)
        if len(self.hits) < HITS_SHOWN_MAX:
            named = UNNAMEABLE if self.needles.in_values.found_in(place) else place
            if uid is not None and self.needles.in_values.found_in(uid):
                uid = UNNAMEABLE
            self.hits.append(Hit(store, named, uid, needle))

    def merged(self, other: Self) -> Self:
        """This with what another scan for the same needles has found."""
        self.searched.update(other.searched)
        self.counts.update(other.counts)
        self.hits += other.hits[: HITS_SHOWN_MAX - len(self.hits)]
        for one, stores in other.stores_of.items():
            self.stores_of.setdefault(one, set()).update(stores)
        for one, uids in other.uids_of.items():
            self.uids_of.setdefault(one, set()).update(uids)
        self.incomplete += other.incomplete
        return self


GRAPH: Final = "graph"
BLOBS: Final = "blobs"


def tell_apart(before: Findings, gone: Collection[str | None], redacted: Collection[str] = ()) -> Needles:
    """The needles that only what is to be erased holds.

    `gone` are the uids of the nodes that an erasure will destroy or tell anew, `redacted` of those out of
    which it takes names and ids alone: a sentence that others said in the same words stays there. A needle
    that stands in other people's data stays there rightly, so it proves nothing. Raises NoNeedleError where
    none are left.
    """
    texts_end, ids_end = set(gone), {*gone, *redacted}
    shared = {
        needle
        for needle, uids in before.uids_of.items()
        if not uids <= (ids_end if needle in before.needles.ids else texts_end)
    }
    return before.needles.without(shared)
