"""Corrections: which event is wrong, and what it should say. They lie sealed among the blobs.

There they outlive a copy of the database that is older than they are, and end with the people's data keys.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from service.errors import InvalidRequest
from service.graph import rectification
from service.graph.driver import Graph
from service.model.chain import canonical
from service.model.events import Event
from service.model.events.redaction import inner_body
from service.model.vocabulary import EventKind
from service.storage.blobs import Blobs
from service.storage.data_keys import DataKeys
from service.usecases.erasure.people import Person, Row
from service.usecases.recording.projection import INLINE_BYTES_MAX

WORDS: Final[Mapping[str, str]] = {
    EventKind.MESSAGE: "text",
    EventKind.TOOL_CALL: "arguments",
    EventKind.TOOL_RESULT: "result",
    EventKind.CLAIM: "text",
    EventKind.USER_MEMORY: "value",
    EventKind.PIN: "text",
    EventKind.WORKING_MEMORY: "block",
}
"""Where an event of a kind has its words."""
FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    **{kind: (name,) for kind, name in WORDS.items()},
    EventKind.TOOL_RESULT: ("result", "error"),
    EventKind.CLAIM: ("text", "value"),
    EventKind.WORKING_MEMORY: ("block", "fields"),
}
"""What of an event can be put right; everything else of it stays as it was recorded."""
_EVENT: Final = TypeAdapter[Any](Event)


@dataclass(frozen=True, slots=True)
class Wrong:
    """What somebody says is wrong. `event` names it: by `uid`, by the client's id of what it made, or by its
    place. Either its words are given, or some of its fields by their names."""

    event: Mapping[str, Any]
    text: str | None = None
    fields: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Correction:
    """What an event should say: its fields that change, by their names."""

    event_uid: str
    changes: Mapping[str, Any]

    def row(self) -> Row:
        """As it is kept and shown."""
        return {"event_uid": self.event_uid, "changes": dict(self.changes)}


@dataclass(frozen=True, slots=True)
class Corrections:
    """The corrections of requests, as they are kept."""

    graph: Graph
    blobs: Blobs
    keys: DataKeys

    async def resolved(self, tenant_id: str, person: Person, wrong: Sequence[Wrong]) -> list[Correction]:
        """Corrections of the person's events, each checked against its event. Raises InvalidRequest."""
        found = {row["number"]: row for row in await self.events(tenant_id, [dict(w.event) for w in wrong])}
        made: list[Correction] = []
        for number, one in enumerate(wrong):
            at, row = f"corrections[{number}]", found.get(number)
            if row is None or not row["told"] or not _is_of(person, row):
                raise _problem(f"{at}.event", "names no event of the person that can still be read")
            if row["kind"] not in FIELDS:
                raise _problem(f"{at}.event", f"is no event of the kinds {', '.join(sorted(FIELDS))}")
            if row["uid"] in {known.event_uid for known in made}:
                raise _problem(f"{at}.event", "is corrected twice")
            fields = one.fields
            changes = {WORDS[row["kind"]]: one.text} if fields is None else dict(fields)
            corrected(inner_body(row["told"][0]["body"]), changes, at)
            made.append(Correction(row["uid"], changes))
        return made

    async def events(self, tenant_id: str, named: list[Row]) -> list[Row]:
        """The events that are named, those that are there."""
        reading = partial(
            rectification.find_events.many, tenant_id=tenant_id, named=[_address(n) for n in named]
        )
        return await self.graph.read(reading)

    async def keep(self, tenant_id: str, request_uid: str, made: Sequence[Correction]) -> None:
        """Keep them, sealed for all whom their events name, in place of what is kept of the request."""
        named = [{"uid": one.event_uid} for one in made]
        people = {uid for row in await self.events(tenant_id, named) for uid in row["subject_uids"]}
        await self.destroy(tenant_id, request_uid)
        data = canonical([one.row() for one in made]).encode()
        scope = [_scope(request_uid), *sorted(people)]
        await self.blobs.put(tenant_id, scope, hashlib.sha256(data).hexdigest(), data)

    async def read(self, tenant_id: str, request_uid: str) -> list[Correction]:
        """Those of a request; none where the people's data keys were destroyed."""
        for scope in self.keys.scopes_of(tenant_id, _scope(request_uid)):
            async for digest, _ in self.blobs.list_scope(tenant_id, scope):
                rows = json.loads(await self.blobs.get(tenant_id, scope, digest))
                return [Correction(row["event_uid"], row["changes"]) for row in rows]
        return []

    async def destroy(self, tenant_id: str, request_uid: str) -> None:
        """Destroy those of a request; none is no error."""
        for scope in self.keys.scopes_of(tenant_id, _scope(request_uid)):
            self.keys.destroy(tenant_id, scope)
            await self.blobs.delete_scope(tenant_id, scope)

    async def forget(self, tenant_id: str, request_uids: Sequence[str], event_uids: Collection[str]) -> None:
        """Take events out of earlier requests' corrections: another one says now what they should say."""
        for uid in request_uids:
            known = await self.read(tenant_id, uid)
            left = [one for one in known if one.event_uid not in event_uids]
            if not left:
                await self.destroy(tenant_id, uid)
            elif len(left) < len(known):
                await self.keep(tenant_id, uid, left)


def digest_of(made: Sequence[Correction]) -> str:
    """SHA-256 over corrections, in hex: what a plan is for."""
    return hashlib.sha256(canonical([one.row() for one in made]).encode()).hexdigest()


def corrected(body: Row, changes: Mapping[str, Any], at: str) -> Row:
    """An event's payload as it should be. Raises InvalidRequest, at this place of the request, where no event
    of its kind could say so."""
    kind = body["kind"]
    others = [name for name in changes if name not in FIELDS[kind]]
    if others or not changes:
        raise _problem(at, f"of a {kind} event these can be put right: {', '.join(FIELDS[kind])}")
    told = dict(body)
    for name, value in changes.items():
        if kind == EventKind.MESSAGE:
            told["parts"] = _reworded(body["parts"], value, at)
        elif name == "fields":
            told["fields"] = _patched(body.get("fields"), value, at)
        elif name not in body:
            raise _problem(at, f"the event has no {name}")
        else:
            told[name] = value
    if len(canonical(told).encode()) > INLINE_BYTES_MAX + len(canonical(body).encode()):
        raise _problem(at, f"adds more than {INLINE_BYTES_MAX} bytes")
    try:
        _EVENT.validate_python(told)
    except ValidationError as invalid:
        first = invalid.errors(include_input=False, include_url=False)[0]
        raise _problem(at, f"would be no event of its kind: {first['type']}") from None
    return told


def _reworded(parts: list[Row], text: Any, at: str) -> list[Row]:
    """A message's parts, with these words in place of all that it says."""
    first = next((number for number, part in enumerate(parts) if part["type"] == "text"), None)
    if first is None or not isinstance(text, str):
        raise _problem(at, "the message has no words, or these are none")
    kept = [part for number, part in enumerate(parts) if part["type"] != "text" or number == first]
    return [{"type": "text", "content": text} if part["type"] == "text" else part for part in kept]


def _patched(fields: Any, changes: Any, at: str) -> Row:
    if not isinstance(fields, dict) or not isinstance(changes, dict) or not changes.keys() <= fields.keys():
        raise _problem(at, "names a field that was not noted down there")
    return {**fields, **changes}


def _is_of(person: Person, row: Row) -> bool:
    """Whether an event holds data of the person: it says so, or stands in the person's conversation and names
    nobody."""
    named = row["subject_uids"]
    return not set(person.uids).isdisjoint(named) if named else row["owner_uid"] in person.uids


_NAMES: Final = (
    *("uid", "message_id", "call_id", "result_of", "memory_id", "claim_id", "pin_id"),
    *("conversation_id", "branch_id", "branch_ref", "seq"),
)


def _address(named: Row) -> Row:
    return {name: named.get(name) for name in _NAMES}


def _scope(request_uid: str) -> str:
    return f"rectification-{request_uid}"


def _problem(location: str, problem: str) -> InvalidRequest:
    return InvalidRequest([{"location": location, "problem": problem}])
