"""What was said on each branch, with the index that finds it again: read once, then only what is new.

A message changes, or is hidden, only where the tenant's `erasure_count` rises: what was read at one count is
not looked at under another. Who may see the rest is judged anew by every assembly, before anything is
searched.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from service.errors import Unavailable
from service.graph import assemblies
from service.graph.driver import Transaction
from service.language.embedding import Vectors as Row
from service.model.candidates import MessageCandidate
from service.model.lineage import Lineage, Stretch
from service.text.search.index import Index
from service.text.search.pieces import pieces
from service.usecases.recall.vectors import Vectors

MESSAGES_MAX = 256
"""The newest messages of a lineage, which every assembly reads."""
SEARCHED_MAX = 4_096
"""Messages of a lineage that are searched, newest first."""
ROWS_KEPT_MAX = 131_072
"""Messages and pieces of them that are kept over all branches, each with a vector of about a kilobyte; what
was not asked for longest goes first."""
SHELVES_MAX = 4_096


@dataclass(slots=True)
class Shelf:
    """All messages of one branch with `floor < seq <= ceiling`, in order."""

    floor: int
    ceiling: int
    messages: list[MessageCandidate] = field(default_factory=list)
    index: Index = field(default_factory=Index)
    times: array[float] = field(default_factory=lambda: array("d"))
    """When each was recorded, in seconds since the epoch."""
    embedded: int = 0
    """How many of them have their vectors."""

    def extend(self, found: Sequence[MessageCandidate], ceiling: int) -> None:
        """Everything up to `ceiling` is in `found` or here already."""
        new = sorted((m for m in found if m.place[0] > self.ceiling), key=lambda m: m.place)
        self.messages += new
        self.times.extend(m.recorded_at.timestamp() for m in new)
        self.index.add((m.text, m.governance.participant_uid) for m in new)
        self.ceiling = max(self.ceiling, ceiling)

    @property
    def rows(self) -> int:
        """Its messages and their pieces."""
        return len(self.index) + len(self.index.pieces.lengths)

    def up_to(self, seq: int) -> int:
        """How many of its messages stand up to a seq."""
        return bisect_right(self.messages, seq, key=lambda m: m.place[0])


@dataclass(frozen=True, slots=True)
class Shelved:
    """The messages `first` to `last`, the latter not included, of a shelf: a stretch of a lineage."""

    shelf: Shelf
    first: int
    last: int

    def messages(self) -> Sequence[MessageCandidate]:
        """In order."""
        return self.shelf.messages[self.first : self.last]


class Shelves:
    """The shelves of this process. Its methods run in one event loop."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self._shelves: OrderedDict[tuple[str, int, int], Shelf] = OrderedDict()

    @property
    def model(self) -> str:
        """The name of the embedding model."""
        return self._vectors.model

    def forget(self, tenant_id: str) -> None:
        """Drop what is kept of a tenant: the next assembly reads it again."""
        for key in [key for key in self._shelves if key[0] == tenant_id]:
            del self._shelves[key]

    async def talk(
        self,
        tx: Transaction,
        tenant_id: str,
        lineage: Lineage,
        newest: Sequence[MessageCandidate],
        erasure_count: int,
    ) -> tuple[Shelved, ...]:
        """The newest SEARCHED_MAX messages of a lineage, its oldest stretch first.

        `newest` are those that `message/list_lineage` answers of it; the last may stand far before the rest.
        """
        whole = len(newest) < MESSAGES_MAX
        horizon = 0 if whole else min(m.place[0] for m in newest[:-1])
        found: list[Shelved] = []
        left = SEARCHED_MAX
        for stretch in reversed(lineage.stretches):
            if left <= 0:
                break
            here = [
                m for m in newest if m.governance.branch_ref == stretch.branch_ref and m.place[0] >= horizon
            ]
            shelf = await self._filled(tx, (tenant_id, erasure_count), stretch, here, horizon)
            last = shelf.up_to(stretch.ceiling)
            first = max(shelf.up_to(stretch.floor), last - left)
            found.append(Shelved(shelf, first, last))
            left -= last - first
        return tuple(reversed(found))

    async def _filled(
        self,
        tx: Transaction,
        kept: tuple[str, int],
        stretch: Stretch,
        here: Sequence[MessageCandidate],
        horizon: int,
    ) -> Shelf:
        """The shelf of a stretch's branch, which holds the newest of it up to its ceiling."""
        tenant_id, _ = kept
        key = (*kept, stretch.branch_ref)
        shelf = self._shelves.get(key)
        if shelf is not None and len(shelf.messages) > 2 * SEARCHED_MAX:
            shelf = None
        if shelf is not None and shelf.floor > stretch.floor and shelf.up_to(stretch.ceiling) < SEARCHED_MAX:
            return await _read(tx, tenant_id, stretch)  # of a moment long past: not kept
        if shelf is None:
            shelf = (
                _made(stretch, here) if horizon <= stretch.floor + 1 else await _read(tx, tenant_id, stretch)
            )
        elif horizon <= shelf.ceiling + 1:
            shelf.extend(here, stretch.ceiling)
        elif shelf.ceiling < stretch.ceiling:
            since = Stretch(stretch.branch_ref, shelf.ceiling, stretch.ceiling)
            more = await _read(tx, tenant_id, since)
            if more.floor > shelf.ceiling:
                shelf = more
            else:
                shelf.extend(more.messages, stretch.ceiling)
        self._shelves[key] = shelf
        self._shelves.move_to_end(key)
        self._make_room()
        return shelf

    def _make_room(self) -> None:
        kept = sum(shelf.rows for shelf in self._shelves.values())
        while len(self._shelves) > 1 and (kept > ROWS_KEPT_MAX or len(self._shelves) > SHELVES_MAX):
            _, dropped = self._shelves.popitem(last=False)
            kept -= dropped.rows

    async def vector(self, request: MessageCandidate, talk: Sequence[Shelved]) -> Row | None:
        """The vector of what a message asks, when all of some talk has its vectors; None where the model does
        not answer, or may not see it."""
        if not self._vectors.may_embed(request.governance.privacy_class):
            return None
        try:
            for one in talk:
                await self._embed(one.shelf)
            vector: Row = (await self._vectors.of([(request.text, request.governance.privacy_class)]))[0]
        except Unavailable:
            return None
        return vector

    async def _embed(self, shelf: Shelf) -> None:
        """All of a shelf, though others extend and embed it meanwhile."""
        while new := shelf.messages[(start := shelf.embedded) :]:
            wholes = [(m.text, m.governance.privacy_class) for m in new]
            parts = [(piece, of) for text, of in wholes for piece in pieces(text)]
            vectors = await self._vectors.of([*wholes, *parts])
            if shelf.embedded == start:
                shelf.index.embed(vectors[: len(wholes)], vectors[len(wholes) :])
                shelf.embedded += len(new)


def _made(stretch: Stretch, messages: Sequence[MessageCandidate]) -> Shelf:
    shelf = Shelf(stretch.floor, stretch.floor)
    shelf.extend([m for m in messages if m.place[0] <= stretch.ceiling], stretch.ceiling)
    return shelf


async def _read(tx: Transaction, tenant_id: str, stretch: Stretch) -> Shelf:
    """The newest of a stretch; the shelf's floor says from where on it is all there."""
    rows = await assemblies.list_messages.many(
        tx,
        tenant_id=tenant_id,
        stretches=Lineage((stretch,)).parameters(),
        user_seq=0,
        limit=SEARCHED_MAX,
    )
    found = list(map(assemblies.message, rows))
    shelf = _made(stretch, found)
    if len(found) >= SEARCHED_MAX:
        shelf.floor = min(m.place[0] for m in found) - 1
    return shelf
