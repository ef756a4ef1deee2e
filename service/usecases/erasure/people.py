"""Who a person is, and where data of the person stands: names, seats, conversations, others there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from service.errors import NotFound
from service.graph import erasure
from service.graph.driver import Graph
from service.model.events.words import all_words
from service.model.vocabulary import ParticipantKind

Row = dict[str, Any]
ALIKE_MAX: Final = 64
"""Users that are one person."""
CONVERSATIONS_PER_PAGE: Final = 200
SEQS_PER_STRETCH: Final = 400
"""Seqs that one transaction looks at, over one branch or several."""
SEQS_PER_BATCH: Final = 50
"""Seqs of which one transaction destroys what stands there: so long others wait for their commit."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation that holds data of the person. `whole`: of nobody else."""

    uid: str
    conversation_id: str
    whole: bool
    owned: bool
    title: str | None
    branches: tuple[Row, ...]
    seats: tuple[Row, ...]
    """The person's own seats, or in a whole conversation all."""
    others: tuple[str, ...] = ()
    """Uids of other people whose data it holds too."""
    other_seats: tuple[Row, ...] = ()
    """Seats of other people."""


@dataclass(frozen=True, slots=True)
class Person:
    """A person under all names: pseudonyms, what clients call the person, and the conversations."""

    uids: tuple[str, ...]
    user_ids: tuple[str, ...]
    aliases: tuple[str, ...]
    conversations: tuple[Conversation, ...]
    unknown_speakers: tuple[str, ...] = field(default=())
    """Uids of seats of humans beside the person of whom nobody said who they are."""

    @property
    def seats(self) -> list[str]:
        """Uids of the person's own seats in conversations of others."""
        return [seat["uid"] for one in self.conversations if not one.whole for seat in one.seats]

    @property
    def whole(self) -> list[str]:
        """Uids of the conversations that are the person's alone."""
        return [one.uid for one in self.conversations if one.whole]

    @property
    def called(self) -> set[str]:
        """Ids, aliases, and the names shown at seats."""
        return {*self.user_ids, *self.aliases, *(seat["display_name"] for seat in self._seated())} - {None}

    def names(self) -> tuple[str, ...]:
        """What the person is called, and ids of seats, longest first. A seat called `user` is no sign of
        anybody."""
        seated = {seat["participant_id"] for seat in self._seated()} - {None, *all_words()}
        return tuple(sorted(self.called | seated, key=lambda one: (-len(one), one)))

    def _seated(self) -> Iterator[Row]:
        return (seat for one in self.conversations for seat in one.seats if seat["user_uid"] in self.uids)

    def stretches(self) -> Iterator[list[Row]]:
        """All branches of the conversations, in pieces of at most SEQS_PER_STRETCH seqs.

        They begin at 0: a fork's artifact stands at the seq of its parent's call.
        """
        return self._in_pieces(SEQS_PER_STRETCH)

    def batches(self) -> Iterator[list[Row]]:
        """The same in pieces of at most SEQS_PER_BATCH seqs, for what reads texts, or destroys."""
        return self._in_pieces(SEQS_PER_BATCH)

    def _in_pieces(self, seqs_max: int) -> Iterator[list[Row]]:
        branches = (
            {"branch_ref": b["branch_ref"], "floor": 0, "ceiling": b["head"], "whole": one.whole}
            for one in self.conversations
            for b in one.branches
        )
        return in_pieces(branches, seqs_max)


def in_pieces(stretches: Iterable[Row], seqs_max: int) -> Iterator[list[Row]]:
    """Stretches of branches, cut and put together to pieces of at most so many seqs."""
    piece: list[Row] = []
    room = seqs_max
    for one in stretches:
        floor = one["floor"]
        while floor < one["ceiling"]:
            ceiling = min(one["ceiling"], floor + room)
            piece.append({**one, "floor": floor, "ceiling": ceiling})
            room -= ceiling - floor
            floor = ceiling
            if room == 0:
                yield piece
                piece, room = [], seqs_max
    if piece:
        yield piece


async def find_person(
    graph: Graph, tenant_id: str, user_ids: Sequence[str] = (), uids: Sequence[str] = ()
) -> Person:
    """The person whom clients call so, or who has these uids. Raises NotFound."""
    rows = await graph.read(
        partial(
            erasure.find_people.many,
            tenant_id=tenant_id,
            user_ids=list(user_ids),
            uids=list(uids),
            limit=ALIKE_MAX,
        )
    )
    if not rows:
        raise NotFound("user")
    people = [row["uid"] for row in rows]
    found: list[Row] = []
    after = ""
    while True:
        reading = partial(
            erasure.list_conversations.many,
            tenant_id=tenant_id,
            people=people,
            after=after,
            limit=CONVERSATIONS_PER_PAGE,
        )
        page = await graph.read(reading)
        found += page
        if len(page) < CONVERSATIONS_PER_PAGE:
            break
        after = page[-1]["uid"]
    return Person(
        uids=tuple(people),
        user_ids=tuple(row["user_id"] for row in rows if row["user_id"]),
        aliases=tuple(sorted({alias for row in rows for alias in row["aliases"]})),
        conversations=tuple(_conversation(row, people) for row in found),
        unknown_speakers=tuple(seat["uid"] for row in found for seat in _unknown(row)),
    )


def _conversation(row: Row, people: Sequence[str]) -> Conversation:
    owned = row["user_uid"] in people
    whole = not row["others"] and (owned or row["user_uid"] is None) and not _unknown(row)
    return Conversation(
        uid=row["uid"],
        conversation_id=row["conversation_id"],
        whole=whole,
        owned=owned,
        title=row["title"],
        branches=tuple(row["branches"]),
        seats=tuple(seat for seat in row["seats"] if whole or seat["user_uid"] in people),
        others=tuple(row["others"]),
        other_seats=tuple(s for s in row["seats"] if s["user_uid"] and s["user_uid"] not in people),
    )


def _unknown(row: Row) -> list[Row]:
    return [
        seat
        for seat in row["seats"]
        if seat["user_uid"] is None and seat["participant_kind"] == ParticipantKind.HUMAN
    ]
