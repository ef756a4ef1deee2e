"""What every importer makes: a conversation as batches of events, valid before anything is sent."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter, ValidationError

from service.importers.cursor import Cursor
from service.importers.errors import TranscriptError
from service.model.chain import canonical
from service.model.events import (
    EVENTS_PER_BATCH_MAX,
    ID_CHARS_MAX,
    Batch,
    ClientId,
    Event,
)
from service.model.portable import portable
from service.model.vocabulary import CallStatus, EventKind, ParticipantKind, Role, RuntimeKind, Visibility

BATCH_BYTES_MAX = 24 << 20
"""Of one request's body; the service takes 32 MiB."""
TITLE_CHARS_MAX = 256
HASH_CHARS = 24
KEY_HASH_CHARS = 48


@dataclass(frozen=True, slots=True)
class ImportedConversation:
    """One conversation of a file: its batches in order, and counts of what has no place in the log, by kind.

    There is one batch, applied all or nothing, unless the conversation passes the limits of a request.
    """

    conversation_id: str
    batches: tuple[Batch, ...]
    skipped: dict[str, int] = field(default_factory=dict)

    def counts(self) -> Counter[str]:
        """How many events there are of each kind."""
        return Counter(event.kind for batch in self.batches for event in batch.events)


@dataclass(frozen=True, slots=True)
class Seat:
    """Who speaks, and who may see it (None: whoever the service lets by default)."""

    participant_id: str
    kind: ParticipantKind
    name: str | None = None
    parent: str | None = None
    visibility: Visibility | None = None
    runtime_kind: RuntimeKind = RuntimeKind.CHAT


USER = Seat("user", ParticipantKind.HUMAN)
ASSISTANT = Seat("assistant", ParticipantKind.AGENT)
SYSTEM = Seat("system", ParticipantKind.SYSTEM)


@dataclass(frozen=True, slots=True)
class Asked:
    """A tool call as its file has it."""

    at: Cursor
    given_id: str
    tool_name: str
    arguments: Any


def text_part(text: str) -> dict[str, Any]:
    """A part of words."""
    return {"type": "text", "content": text}


def digest(value: Any) -> str:
    """A short hash of a JSON value, for ids of things that have none."""
    return hashlib.sha256(canonical(value).encode(errors="surrogatepass")).hexdigest()[:HASH_CHARS]


def joined_id(*names: str) -> str:
    """One id of several names; where that is too long, its end becomes a hash of the whole."""
    whole = ":".join(names)
    if len(whole) <= ID_CHARS_MAX:
        return whole
    tail = hashlib.sha256(whole.encode(errors="surrogatepass")).hexdigest()[:HASH_CHARS]
    return f"{whole[: ID_CHARS_MAX - HASH_CHARS - 1]}~{tail}"


def body_of(batch: Batch) -> str:
    """The batch as it is sent: JSON, only what was said."""
    return batch.model_dump_json(exclude_unset=True)


def idempotency_key(batch: Batch) -> str:
    """The same batch always has the same key, so importing a file again changes nothing."""
    return f"import-{hashlib.sha256(body_of(batch).encode()).hexdigest()[:KEY_HASH_CHARS]}"


def arguments_of(text: str) -> Any:
    """Call arguments as the model gave them: the object where the text is one to be kept, else the text."""
    try:
        value = json.loads(text)
        return portable(value) if isinstance(value, dict) else text
    except (ValueError, RecursionError):
        return text


_EVENT: TypeAdapter[Event] = TypeAdapter(Event)
_CONVERSATION_ID: TypeAdapter[str] = TypeAdapter(ClientId)
_TAGS = {"text", "reasoning", "tool_call", "tool_call_response", "image", "file", "other"}


class Draft:
    """A conversation being read: makes its events, holds each to the contract, pairs calls with results."""

    def __init__(
        self,
        at: Cursor,
        conversation_id: str,
        *,
        user_id: str | None = None,
        title: str | None = None,
        runtime_kind: RuntimeKind | None = None,
    ) -> None:
        try:
            self.conversation_id = _CONVERSATION_ID.validate_python(conversation_id)
        except ValidationError as error:
            raise at.refuse(f"gives no valid conversation id: {error.errors()[0]['msg']}") from None
        self._at = at
        self._user_id = user_id or joined_id(conversation_id, "user")
        self._events: list[tuple[Event, int]] = []
        self._seated: dict[str, Seat] = {}
        self._ids: set[tuple[EventKind, str]] = set()
        self._open: dict[str, tuple[str, Seat]] = {}
        self._asked: Counter[str] = Counter()
        self._skipped: Counter[str] = Counter()
        self._add(
            at,
            EventKind.CONVERSATION,
            title=title[:TITLE_CHARS_MAX] if title else None,
            user_id=self._user_id,
            runtime_kind=runtime_kind,
        )

    def sit(self, at: Cursor, seat: Seat) -> None:
        """Give somebody a seat, once."""
        if seat.participant_id in self._seated:
            return
        self._seated[seat.participant_id] = seat
        human = seat.kind is ParticipantKind.HUMAN
        person = joined_id(self._user_id, seat.name) if seat.name else self._user_id
        self._add(
            at,
            EventKind.PARTICIPANT,
            participant_id=seat.participant_id,
            participant_kind=seat.kind,
            display_name=seat.name,
            user_id=person if human else None,
            parent_participant_id=seat.parent,
        )

    def say(
        self, at: Cursor, seat: Seat, role: Role, name: str, parts: Sequence[dict[str, Any]], **said: Any
    ) -> None:
        """A message. `name` is its id within the conversation; without parts it is counted as skipped."""
        if not parts:
            self.skip(f"empty {role} messages")
            return
        self.sit(at, seat)
        self._add(
            at,
            EventKind.MESSAGE,
            message_id=self._new_id(at, EventKind.MESSAGE, name),
            participant_id=seat.participant_id,
            role=role,
            parts=list(parts),
            visibility=seat.visibility,
            **said,
        )

    def run(self, at: Cursor, seat: Seat, name: str, **said: Any) -> str:
        """A model run, before what it made. Answers its id."""
        self.sit(at, seat)
        run_id = self._new_id(at, EventKind.MODEL_RUN, name)
        self._add(
            at,
            EventKind.MODEL_RUN,
            run_id=run_id,
            participant_id=seat.participant_id,
            visibility=seat.visibility,
            runtime_kind=None if seat.runtime_kind is RuntimeKind.CHAT else seat.runtime_kind,
            **said,
        )
        return run_id

    def answer(
        self,
        at: Cursor,
        seat: Seat,
        name: str,
        run_id: str,
        parts: Sequence[dict[str, Any]],
        calls: Iterable[Asked],
        **said: Any,
    ) -> None:
        """What a run made: its message, where it has one, then its calls."""
        if parts:
            self.say(at, seat, Role.ASSISTANT, name, parts, run_id=run_id, **said)
        message_id = joined_id(self.conversation_id, name) if parts else None
        asked_all = list(calls)
        for asked in asked_all:
            self._call(asked, seat, run_id=run_id, message_id=message_id, **said)
        if not parts and not asked_all:
            self.skip("answers without words or calls")

    def result(self, at: Cursor, given_id: str, result: Any, *, failed: bool = False, **said: Any) -> None:
        """A tool's answer to the call of that id which has none yet."""
        if given_id not in self._open:
            known = self._asked[given_id]
            raise at.refuse(f"answers a call that {'has its result' if known else 'is not there'}")
        call_id, seat = self._open.pop(given_id)
        self._add(
            at,
            EventKind.TOOL_RESULT,
            call_id=call_id,
            call_status=CallStatus.FAILED if failed else None,
            result=result,
            visibility=seat.visibility,
            **said,
        )

    def skip(self, what: str, count: int = 1) -> None:
        """Count something that is not imported."""
        if count:
            self._skipped[what] += count

    def finish(self) -> ImportedConversation:
        """The conversation in batches that fit a request."""
        batches: list[list[Event]] = [[]]
        size_bytes = 0
        for event, event_bytes in self._events:
            full = len(batches[-1]) == EVENTS_PER_BATCH_MAX or size_bytes + event_bytes > BATCH_BYTES_MAX
            if batches[-1] and full:
                batches.append([])
                size_bytes = 0
            batches[-1].append(event)
            size_bytes += event_bytes
        made = tuple(Batch(conversation_id=self.conversation_id, events=events) for events in batches)
        return ImportedConversation(self.conversation_id, made, dict(self._skipped))

    def _call(self, asked: Asked, seat: Seat, **said: Any) -> None:
        if asked.given_id in self._open:
            raise asked.at.refuse("repeats the id of a call that has no result yet")
        self.sit(asked.at, seat)
        self._asked[asked.given_id] += 1
        # Recorded runs do use one id again for a later call; what is unique stays readable.
        again = self._asked[asked.given_id]
        name = asked.given_id if again == 1 else f"{asked.given_id}~{again}"
        call_id = self._new_id(asked.at, EventKind.TOOL_CALL, name)
        self._open[asked.given_id] = (call_id, seat)
        self._add(
            asked.at,
            EventKind.TOOL_CALL,
            call_id=call_id,
            tool_name=asked.tool_name,
            arguments=asked.arguments,
            participant_id=seat.participant_id,
            visibility=seat.visibility,
            runtime_kind=None if seat.runtime_kind is RuntimeKind.CHAT else seat.runtime_kind,
            **said,
        )

    def _new_id(self, at: Cursor, kind: EventKind, name: str) -> str:
        made = joined_id(self.conversation_id, name)
        if (kind, made) in self._ids:
            raise at.refuse("has an id that was used before in this conversation")
        self._ids.add((kind, made))
        return made

    def _add(self, at: Cursor, kind: EventKind, **fields: Any) -> None:
        try:
            said = {name: value for name, value in fields.items() if value is not None}
            event = _EVENT.validate_python({"kind": kind.value, **said})
            size_bytes = len(event.model_dump_json(exclude_unset=True).encode())
        except ValidationError as error:
            raise _refusal(at, error) from None
        if size_bytes > BATCH_BYTES_MAX:
            raise at.refuse(f"is larger than {BATCH_BYTES_MAX >> 20} MiB")
        self._events.append((event, size_bytes))


def _refusal(at: Cursor, error: ValidationError) -> TranscriptError:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    names = [str(name) for name in first["loc"][1:] if name not in _TAGS]
    reason = first["msg"].removeprefix("Value error, ")
    return at.refuse(f"gives no valid {'.'.join(names)}: {reason}")
