"""What corrections do: which events get other words, what their items say then, what is told or made again.

It only reads. What was done already is found to read as it should, so that a run may be begun again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from service.graph import rectification
from service.graph.driver import Graph
from service.model.chain import canonical
from service.model.events import MessageEvent
from service.model.events.redaction import inner_body
from service.model.vocabulary import CallStatus, EventKind, Label, LineKind
from service.storage.blobs import Blobs
from service.text.redacting import REDACTED
from service.text.summary import drafted, line_text, retold
from service.text.tokens import Tokenizer
from service.usecases.erasure.nodes import with_costs
from service.usecases.erasure.people import Row
from service.usecases.erasure.summaries import SPEAKER_ROOM, summarised
from service.usecases.recording.projection import message_words
from service.usecases.recording.projection.base import as_text
from service.usecases.recording.projection.tools import distilled, parameter_names
from service.usecases.rectification.corrections import Correction, Corrections, corrected
from service.usecases.rectification.versions import retold_versions

Bodies = Mapping[str, Row]
"""Payloads as they should be, by the uid of the event that was corrected."""


@dataclass(slots=True)
class Work:
    """All that follows from a request's corrections. `events` have a `body` to be recorded, `nodes` other
    properties; `learned` goes, by label, and `answers` are learned from again."""

    events: list[Row] = field(default_factory=list)
    nodes: list[Row] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    learned: dict[str, list[str]] = field(default_factory=dict)
    answers: list[str] = field(default_factory=list)
    lines: int = 0
    """Summary lines that are told again."""
    resting: list[str] = field(default_factory=list)
    """Events of claims and memories that rest on what was wrong: somebody should look at them."""
    old_texts: list[str] = field(default_factory=list)
    blobs: list[tuple[list[str], str]] = field(default_factory=list)
    """Large bytes that were wrong, by people and hash."""

    @property
    def held_in(self) -> set[str]:
        """Uids of everything that has the old words, or was made of them."""
        made = {uid for uids in self.learned.values() for uid in uids}
        return {event["told"]["uid"] for event in self.events} | {node["uid"] for node in self.nodes} | made


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Works out what corrections do in one tenant."""

    graph: Graph
    blobs: Blobs
    tokenizer: Tokenizer
    corrections: Corrections
    tenant_id: str

    async def work(self, made: Sequence[Correction]) -> Work:
        """What is to be done; an event that is there no longer is passed over."""
        work = Work()
        found = await self.corrections.events(self.tenant_id, [{"uid": one.event_uid} for one in made])
        rows = {row["uid"]: row | {"told": row["told"][0]} for row in found if row["told"]}
        bodies: dict[str, Row] = {}
        for one in made:
            if one.event_uid in rows:
                row = rows[one.event_uid]
                old = inner_body(row["told"]["body"])
                bodies[row["uid"]] = new = corrected(old, one.changes, "corrections")
                self._event(work, row, old, new)
        places = [
            {"event_uid": uid, "branch_ref": rows[uid]["branch_ref"], "seq": rows[uid]["seq"]}
            for uid in bodies
        ]
        told = await self._items(work, places, bodies) | await self._calls(work, places, bodies)
        await self._lines(work, told)
        await self._made_of(work)
        return work

    def _event(self, work: Work, row: Row, old: Row, new: Row) -> None:
        if new != old:
            work.events.append(row | {"body": new})
            said = list(texts_of(new))
            work.old_texts += [one for one in texts_of(old) if not any(one in text for text in said)]

    async def _items(self, work: Work, places: list[Row], bodies: Bodies) -> dict[str, Row]:
        """Messages by their uid, as a summary reads them; all else that stands by itself."""
        reading = partial(rectification.list_items.many, tenant_id=self.tenant_id, places=places)
        spoken: dict[str, Row] = {}
        for row in await self.graph.read(reading):
            label, kept, body = Label(row["label"]), row["kept"], bodies[row["event_uid"]]
            if label is Label.WORKING_MEMORY:
                reading = partial(rectification.list_versions.many, tenant_id=self.tenant_id, uid=kept["uid"])
                versions = await self.graph.read(reading)
                work.nodes += retold_versions(versions, bodies, kept, self.tokenizer)
                continue
            new = _properties(label, body)
            self._node(work, label, new, kept)
            if label is Label.MESSAGE:
                work.messages.append(kept["uid"])
                spoken[kept["uid"]] = {"text": new["text"]}
        return spoken

    async def _calls(self, work: Work, places: list[Row], bodies: Bodies) -> dict[str, Row]:
        """Calls, results, and the memories that are made of them anew, by uid as a summary reads them."""
        reading = partial(rectification.list_calls.many, tenant_id=self.tenant_id, places=places)
        rows = await self.graph.read(reading)
        asked = {row["call"]["uid"]: row for row in rows if _kind(row, bodies) == EventKind.TOOL_CALL}
        got = {row["artifact"]["uid"]: row for row in rows if _kind(row, bodies) == EventKind.TOOL_RESULT}
        for row in asked.values():
            arguments = as_text(bodies[row["event_uid"]]["arguments"])
            names = parameter_names(arguments)
            new = {"arguments": arguments, "arguments_blob": None, "parameters": names}
            self._large(work, row["call"], "arguments")
            row["call"] |= self._node(work, Label.TOOL_CALL, new, row["call"])
        for row in got.values():
            body = bodies[row["event_uid"]]
            new = {"result": as_text(body.get("result")), "result_blob": None, "error": body.get("error")}
            self._large(work, row["artifact"], "result")
            row["artifact"] |= self._node(work, Label.TOOL_ARTIFACT, new, row["artifact"])
            row["none"] = body.get("result") is None
        found: dict[str, Row] = {}
        for row in {row["artifact"]["uid"]: row for row in rows}.values():
            row = got.get(row["artifact"]["uid"], row)
            row["call"] = asked.get(row["call"]["uid"], row)["call"]
            if row["memory"] is not None:
                found[row["memory"]["uid"]] = await self._memory(work, row)
                work.resting.append(row["artifact"]["uid"])
        return found

    async def _memory(self, work: Work, row: Row) -> Row:
        """The memory of a call and its result as these read now."""
        call, artifact, memory = row["call"], row["artifact"], row["memory"]
        arguments, result = await self._text(call, "arguments"), await self._text(artifact, "result")
        nothing = row.get("none", not result and artifact.get("error") is not None)
        status = CallStatus(artifact["call_status"])
        told = None if nothing else result
        notes = distilled(call["tool_name"], arguments, told, status, artifact.get("error"))
        sizes = {name: artifact[name] for name in ("result_tokens", "result_bytes")}
        self._node(work, Label.TOOL_MEMORY, notes | sizes, memory)
        known = [notes["headline"], *notes["records"]]
        old = [memory["headline"], *memory["records"]]
        work.old_texts += [one for one in old if not any(one in text for text in known)]
        return {"headline": notes["headline"]}

    async def _text(self, kept: Row, name: str) -> str:
        digest = kept.get(f"{name}_blob")
        if digest is None:
            return kept.get(name) or ""
        return (await self.blobs.get(self.tenant_id, kept["subject_uids"], digest)).decode()

    def _large(self, work: Work, kept: Row, name: str) -> None:
        if kept.get(f"{name}_blob") is not None:
            work.blobs.append((kept["subject_uids"], kept[f"{name}_blob"]))

    def _node(self, work: Work, label: Label, new: Row, kept: Row) -> Row:
        properties = with_costs(label, new, kept, self.tokenizer)
        work.nodes.append({"uid": kept["uid"], "properties": properties})
        return properties

    async def _lines(self, work: Work, told: Mapping[str, Row]) -> None:
        """Lines that stand for what was wrong, told again, and the compactions that have them."""
        reading = partial(rectification.list_lines.many, tenant_id=self.tenant_id, uids=list(told))
        found = await self.graph.read(reading)
        texts: dict[str, str] = {}
        places: dict[tuple[int, int], list[tuple[Row, str]]] = {}
        for row in found:
            items = [item | told.get(item["uid"], {}) for item in row["items"]]
            pieces = [line.text for line in drafted([summarised(item, str) for item in items])]
            pieces += [texts.get(fold["uid"], fold["text"]) for fold in row["folds"]]
            texts[row["uid"]] = text = retold(pieces) if pieces else REDACTED
            seqs = (row["first_seq"], row["last_seq"])
            read = line_text(LineKind(row["line_kind"]), text, seqs, row["item_count"], SPEAKER_ROOM)
            cost = {"text": text, "tokens": self.tokenizer.count(read)}
            work.nodes.append({"uid": row["uid"], "properties": cost})
            if text != row["text"]:
                work.old_texts.append(row["text"])
                for at in row["places"]:
                    places.setdefault((at["branch_ref"], at["seq"]), []).append((row, text))
        work.lines = len(found)
        named = [{"branch_ref": ref, "seq": seq} for ref, seq in places]
        for event in await self.corrections.events(self.tenant_id, named) if named else []:
            at = places[event["branch_ref"], event["seq"]]
            if event["told"]:
                body = inner_body(event["told"][0]["body"])
                lines = [_line(line, at) for line in body["lines"]]
                if lines != body["lines"]:
                    new = {**body, "lines": lines}
                    work.events.append(event | {"told": event["told"][0], "body": new})

    async def _made_of(self, work: Work) -> None:
        """What was learned from the old words, and what rests on them."""
        reading = partial(rectification.find_learned.many, tenant_id=self.tenant_id, messages=work.messages)
        answers: set[str] = set()
        for row in await self.graph.read(reading):
            uids = work.learned.setdefault(row["label"], [])
            if row["uid"] not in uids:
                uids.append(row["uid"])
            answers.update(row["answers"])
        work.answers = sorted(answers)
        resting = partial(
            rectification.list_resting.many,
            tenant_id=self.tenant_id,
            uids=[*work.messages, *work.resting],
        )
        work.resting = [row["uid"] for row in await self.graph.read(resting)]


def _kind(row: Row, bodies: Bodies) -> str:
    return str(bodies[row["event_uid"]]["kind"])


def _properties(label: Label, body: Row) -> Row:
    """What a node says of its corrected event."""
    if label is Label.MESSAGE:
        text, parts = message_words(MessageEvent.model_validate(body))
        return {"text": text, "parts": parts}
    if label is Label.USER_MEMORY:
        return {"value": canonical(body["value"])}
    if label is Label.CLAIM:
        value = body.get("value")
        return {"text": body["text"], "value": None if value is None else canonical(value)}
    return {"text": body["text"]}


def _line(line: Row | None, told: list[tuple[Row, str]]) -> Row | None:
    """A recorded line, in other words where it is one of those that were told again; None: it was erased."""
    for row, text in told:
        if line and all(line[name] == row[name] for name in _OF_A_LINE):
            return {**line, "text": text}
    return line


def texts_of(value: Any) -> Iterator[str]:
    """Every text in data."""
    match value:
        case str():
            yield value
        case dict():
            for one in value.values():
                yield from texts_of(one)
        case list():
            for one in value:
                yield from texts_of(one)


_OF_A_LINE: Final = ("text", "first_seq", "last_seq")
