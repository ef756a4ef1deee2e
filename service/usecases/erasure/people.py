"""Who a person is, and where data of the person stands: names, seats, conversations, others there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from service.errors import NotFound
from service.graph import erasure
from service.graph.driver import Graph
from service.model.vocabulary import ParticipantKind

Row = dict[str, Any]
ALIKE_MAX: Final = 64
"""Users that are one person."""
CONVERSATIONS_PER_PAGE: Final = 200
EVENTS_PER_STRETCH: Final = 400
"""Seqs that one transaction of a cascade looks at, over one branch or several."""


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

    def names(self) -> tuple[str, ...]:
        """What the person is called, longest first: ids, aliases, names at seats."""
        own = (seat for one in self.conversations for seat in one.seats if seat["user_uid"] in self.uids)
        seated = {text for seat in own for text in (seat["participant_id"], seat["display_name"]) if text}
        return tuple(sorted({*self.user_ids, *self.aliases, *seated}, key=lambda one: (-len(one), one)))

    def stretches(self) -> Iterator[list[Row]]:
        """All branches of the conversations, in pieces of at most EVENTS_PER_STRETCH seqs.

        They begin at 0: a fork's artifact stands at the seq of its parent's call.
        """
        piece: list[Row] = []
        room = EVENTS_PER_STRETCH
        for one in self.conversations:
            for branch in one.branches:
                floor = 0
                while floor < branch["head"]:
                    ceiling = min(branch["head"], floor + room)
                    where = {"branch_ref": branch["branch_ref"], "floor": floor, "ceiling": ceiling}
                    piece.append(where | {"whole": one.whole})
                    room -= ceiling - floor
                    floor = ceiling
                    if room == 0:
                        yield piece
                        piece, room = [], EVENTS_PER_STRETCH
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
