"""The layer of what is known of the conversation's user: read, judged, and weighed against the request."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from service.graph import user_memories
from service.graph.driver import Transaction
from service.model.candidates import Focus, Note
from service.model.user_memory import UserMemory
from service.model.vocabulary import Section
from service.policies.user_memories import Remembered, in_reach, ranked, said, worth
from service.text.search import relevance
from service.usecases.assembly.request import Scope

STANDING_MAX: Final = 256
SUPERSEDED_MAX: Final = 1_000
"""Memories read, newest first; constant, so that a larger budget sees no other candidates."""
CONFLICT = " [another one says otherwise]"


async def read_known(tx: Transaction, tenant_id: str, scope: Scope, now: datetime) -> tuple[UserMemory, ...]:
    """What was recorded of the conversation's user until `now`, where the scope's branch has a part in it."""
    if scope.known_user_uid is None:
        return ()
    row = await user_memories.list_of_user.sole(
        tx,
        tenant_id=tenant_id,
        user_uid=scope.known_user_uid,
        memory_kind=None,
        now=now,
        with_values=False,
        standing_limit=STANDING_MAX,
        superseded_limit=SUPERSEDED_MAX,
    )
    found = (user_memories.user_memory(one) for one in (*row["standing"], *row["superseded"]))
    return tuple(one for one in found if in_reach(one, scope.lineage))


def known_notes(found: Remembered, scope: Scope, focus: Focus) -> list[Note]:
    """Those in force as a context says them, best first."""
    relevances = relevance(focus.request_text, [said(one) for one in found.current])
    return [
        Note(
            uid=one.uid,
            section=Section.USER_MEMORIES,
            kind="user_memory",
            text=f"{one.kind}: {said(one)}{CONFLICT if one.uid in found.conflicts else ''}",
            worth=worth(weight),
            why="conflict" if one.uid in found.conflicts else "ranked",
            seq=one.place[0] if scope.lineage.holds(one.governance.branch_ref, one.place[0]) else 0,
        )
        for weight, one in ranked(found, relevances)
    ]
