"""Notices: whoever was given a person's data is to be told what became of it, and the office says when."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from service.clock import Clock
from service.errors import Conflict, InvalidRequest, NotFound
from service.graph import notices
from service.graph.driver import Graph, Transaction
from service.graph.query import Query
from service.ids import derived_uid
from service.model.caller import Caller
from service.model.privacy import NoticeState
from service.usecases.configure_tenant import Configurations
from service.usecases.erasure.people import CONVERSATIONS_PER_PAGE, Conversation, Person, Row


async def find_recipients(
    graph: Graph, configurations: Configurations, tenant_id: str, person: Person
) -> list[str]:
    """Who was given data of a person, sorted: providers of models that answered where it stood before, or
    that were given memories of the person, without local ones; and all that the configuration names.

    It must be asked before the runs are erased. Raises NotFound for an unknown tenant.
    """
    active = await graph.read(lambda tx: configurations.active(tx, tenant_id))
    local = {name for name, route in active.providers.items() if route.local}
    found = await _providers(graph, notices.list_remembering, tenant_id, people=list(person.uids))
    for start in range(0, len(person.conversations), CONVERSATIONS_PER_PAGE):
        page = person.conversations[start : start + CONVERSATIONS_PER_PAGE]
        branches = await _since(graph, tenant_id, person.uids, page)
        found |= await _providers(graph, notices.list_recipients, tenant_id, branches=branches)
    return sorted({*(found - local), *active.privacy.recipients})


async def make_notices(
    tx: Transaction, tenant_id: str, request_uid: str, recipients: Iterable[str], now: datetime
) -> None:
    """Note who is to be told what became of a request. May be repeated: there is one for each recipient."""
    rows = [{"uid": derived_uid(request_uid, one), "recipient": one} for one in recipients]
    await notices.create_notices.none(tx, tenant_id=tenant_id, request_uid=request_uid, notices=rows, now=now)


@dataclass(frozen=True, slots=True)
class PrivacyNotices:
    """The use case: the outbox."""

    graph: Graph
    clock: Clock

    async def listed(
        self, caller: Caller, state: NoticeState | None, after: str | None, limit: int
    ) -> list[Row]:
        """Notices, oldest first, from the one after `after` on."""
        reading = partial(
            notices.list_notices.many,
            tenant_id=caller.tenant_id,
            open=None if state is None else state is NoticeState.OPEN,
            after=after,
            limit=limit,
        )
        return [_told(row["notice"]) for row in await self.graph.read(reading)]

    async def sent(
        self, caller: Caller, notice_id: str, sent_at: datetime | None, reference: str | None
    ) -> Row:
        """Note that a recipient was told. The same again answers the same. Raises NotFound, Conflict where
        something else was noted before, InvalidRequest for a time to come."""
        now = self.clock()
        if sent_at is not None and sent_at > now:
            raise InvalidRequest([{"location": "sent_at", "problem": "lies in the future"}])
        marking = partial(
            notices.mark_sent.one,
            tenant_id=caller.tenant_id,
            uid=notice_id,
            sent_at=sent_at or now,
            sent_by=caller.key_uid,
            reference=reference,
        )
        marked, _ = await self.graph.write(marking)
        if marked is None:
            raise NotFound("notice")
        told = _told(marked["notice"])
        if not marked["first"]:
            same = (told["sent_by"], told["reference"]) == (caller.key_uid, reference)
            if not same or sent_at not in (None, told["sent_at"]):
                raise Conflict("It was noted as sent before, otherwise: read the notice.")
        return told


async def _providers(graph: Graph, asked: Query, tenant_id: str, **more: Any) -> set[str]:
    return {row["provider"] for row in await graph.read(partial(asked.many, tenant_id=tenant_id, **more))}


async def _since(
    graph: Graph, tenant_id: str, people: Sequence[str], conversations: Sequence[Conversation]
) -> list[Row]:
    """Each branch of conversations with the seq from which on its conversation holds data of people: a fork
    goes on counting where it left its parent."""
    branches = [
        {"conversation_uid": one.uid, "branch_ref": branch["branch_ref"]}
        for one in conversations
        for branch in one.branches
    ]
    reading = partial(
        notices.list_beginnings.many, tenant_id=tenant_id, people=list(people), branches=branches
    )
    since = {row["conversation_uid"]: row["since"] for row in await graph.read(reading)}
    return [b | {"since": since[b["conversation_uid"]]} for b in branches if b["conversation_uid"] in since]


def _told(notice: Row) -> dict[str, Any]:
    sent_at = notice.get("sent_at")
    return {
        "notice_id": notice["uid"],
        "what": notice["request_kind"],
        "created_at": notice["created_at"].to_native(),
        "sent_at": None if sent_at is None else sent_at.to_native(),
        "state": NoticeState.OPEN if sent_at is None else NoticeState.SENT,
        **{name: notice.get(name) for name in _SAID},
    }


_SAID = ("recipient", "request_id", "request_uid", "sent_by", "reference")
