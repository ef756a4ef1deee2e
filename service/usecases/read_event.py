"""Read one entry of the log: its envelope, and what was recorded, as far as the asker may see it.

An event is shown whole or not at all: whoever may not see one of the items that it made gets what an unknown
id gets. An event that makes no item, such as a fork, is everybody's on the branch.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from service.errors import NotFound
from service.graph import branches
from service.graph.driver import Graph, Transaction
from service.graph.proofs import entries_at
from service.graph.query import Row
from service.log.entries import body_of, commits_to, fault_of
from service.log.erasures import NOTHING_ERASED, Destroyed
from service.model.caller import Caller
from service.model.consistency import ConsistencyToken
from service.model.vocabulary import EventKind
from service.policies.attribution import Asker
from service.usecases.read_transcript import Place, may_read, open_branch

EVERYBODYS: Final = {
    *(EventKind.CONVERSATION, EventKind.PARTICIPANT, EventKind.FORK, EventKind.RENAME),
    *(EventKind.CLOSE, EventKind.REOPEN, EventKind.MERGE, EventKind.UNPIN),
}
"""Kinds that make no item: they name what the branch is made of, and say nothing of anybody's."""
THOUGHT: Final = "reasoning"
"""The type of a message's part that is for its author alone."""


class PayloadState(StrEnum):
    """Whether an event's payload can still be read."""

    PRESENT = "present"
    ERASED = "erased"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class ReadEvent:
    """The use case; `erasures` say which payloads may be missing."""

    graph: Graph
    erasures: Destroyed = NOTHING_ERASED

    async def __call__(
        self, caller: Caller, place: Place, event_uid: str, token: ConsistencyToken
    ) -> dict[str, Any]:
        """An event of the branch's lineage. Raises NotFound, also for what the seat that asks may not see."""

        async def work(tx: Transaction) -> dict[str, Any]:
            opened = await open_branch(tx, caller.tenant_id, place)
            found = await branches.find_event.one(
                tx, tenant_id=caller.tenant_id, event_uid=event_uid, participant_uid=opened.asker.uid
            )
            if found is None or not opened.lineage.holds(found["branch_ref"], found["seq"]):
                raise NotFound("event")
            at = (found["branch_ref"], found["seq"])
            entry = (await entries_at(tx, caller.tenant_id, [at])).get(at)
            body = None if entry is None else body_of(entry)
            if entry is None or not _is_shown(found, body, opened.asker):
                raise NotFound("event")
            links = {name: found[name] for name in ("branch_id", "redacts", "redacted_by")}
            return _answer(entry, body, links, self.erasures)

        return await self.graph.read(work, token.bookmarks)


def _is_shown(found: Row, body: dict[str, Any] | None, asker: Asker) -> bool:
    """Whether the asker may see all that an event made, or nothing is left of it but the envelope; a
    redaction is judged as the event that it gives other words."""
    if found["kind"] in EVERYBODYS:
        return True
    items = found["items"]
    if body is not None and _is_actors(body, items) and found["actor_uid"] != asker.uid:
        return False
    return all(may_read(item, asker) for item in items)


def _is_actors(body: dict[str, Any], items: list[Row]) -> bool:
    """Whether an event is its actor's alone: a thought is in it, or not all is there that could be judged."""
    if body["kind"] == EventKind.REDACTION:
        return _is_actors(body["body"], items)
    if body["kind"] == EventKind.COMPACTION:
        return len(items) < sum(line is not None for line in body["lines"])
    return not items or any(part["type"] == THOUGHT for part in body.get("parts", ()))


def _answer(entry: Row, body: dict[str, Any] | None, links: Row, erasures: Destroyed) -> dict[str, Any]:
    payload = entry["payload"]
    if payload is not None:
        state = PayloadState.PRESENT
    else:
        state = PayloadState.ERASED if erasures.allows(entry) else PayloadState.MISSING
    return {
        **entry,
        **links,
        "erased_by": entry["erased_by"] or (body or {}).get("erased_by"),
        "hash_holds": fault_of(entry, payloads=False) is None,
        "payload": body,
        "payload_state": state,
        "commitment_holds": None if payload is None else commits_to(entry),
    }
