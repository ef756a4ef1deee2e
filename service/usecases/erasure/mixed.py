"""What others recorded and names the person too: the person is taken out, by an event that says so.

Nothing of it is dropped: what the person is called is redacted, summaries are told again from what is left,
and what is left is sealed for those who are left. Without `erased_by` it only says what would be touched.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from service.graph import erasure
from service.graph.driver import Graph
from service.model.caller import Caller
from service.model.chain import canonical
from service.model.events import RedactionBatch, RedactionEvent
from service.model.events.redaction import inner_body
from service.model.vocabulary import EventKind, Label
from service.storage.blobs import Blobs
from service.text.fence import without_fenced
from service.text.notes import noted_lines
from service.text.redacting import Redact, redacted, redactor
from service.text.references import without_ids
from service.text.scrubbing import scrub
from service.text.tokens import Tokenizer
from service.usecases.append_events import AppendEvents
from service.usecases.erasure.bare_results import bare_notes
from service.usecases.erasure.cascade import NODES_PER_BATCH, pages
from service.usecases.erasure.nodes import changed, with_costs
from service.usecases.erasure.people import Person, Row
from service.usecases.erasure.summaries import Summaries

REDACTIONS_PER_BATCH: Final = 100


@dataclass(slots=True)
class Mixed:
    """What was found, or done: uids of events with others' data, of those that read otherwise, and counts."""

    events: list[str] = field(default_factory=list)
    redacted: list[str] = field(default_factory=list)
    derived: int = 0
    chosen: list[str] = field(default_factory=list)
    """Uids of events that go whole by decision."""
    decided: set[str] = field(default_factory=set)
    """Uids of events and items that go whole after all: by decision, or since nobody else is left in them."""
    bare: dict[str, Row] = field(default_factory=dict)
    """What memories read whose call goes, by their uids."""
    blobs: dict[str, tuple[str, int]] = field(default_factory=dict)
    """What large bytes became, by their digests: another digest, and how many bytes."""


@dataclass(frozen=True, slots=True)
class TakeOut:
    """One person, taken out of what others recorded."""

    graph: Graph
    blobs: Blobs
    append_events: AppendEvents
    tokenizer: Tokenizer
    tenant_id: str
    person: Person
    names: tuple[str, ...]
    """What the person is called, beside what the graph knows."""
    erased_by: str | None = None
    erase: frozenset[str] = frozenset()
    """Uids of events of others that an officer decided to erase."""

    async def run(self) -> Mixed:
        """Everything, stretch by stretch. It may be interrupted and begun again."""
        mixed = Mixed()
        redact = self._redact()
        by_ref = {
            b["branch_ref"]: (one.conversation_id, b["branch_id"])
            for one in self.person.conversations
            for b in one.branches
            if not one.whole
        }
        pieces = [[one for one in piece if not one["whole"]] for piece in self.person.stretches()]
        shared = [piece for piece in pieces if piece]
        ids = await self._ids(shared)
        await self._decide(shared, mixed)
        mixed.bare = await bare_notes(self.graph, self.blobs, self.tenant_id, self.person, shared)
        summaries = Summaries(
            self.graph, self.tenant_id, redact, self.tokenizer.count, self.person.uids, mixed.bare
        )
        lines = await summaries.tell(shared, self.person.seats, mixed.decided)
        mixed.decided.update(summaries.gone)
        mixed.derived = len(lines)
        for stretches in shared:
            await self._stretches(stretches, redact, by_ref, ids, summaries, mixed)
            await self._references(stretches, ids, by_ref, mixed)
        if self.erased_by is not None:  # nodes last: who goes on finds by them what large bytes became
            for stretches in shared:
                await self._update(await self._nodes(stretches, redact, mixed))
            await self._update([*lines, *self._titles(redact)])
        return mixed

    async def _ids(self, shared: list[list[Row]]) -> frozenset[str]:
        """Client ids, in conversations of others, of what is erased: seats, messages, calls and all else."""
        conversations = [one for one in self.person.conversations if not one.whole]
        found = {seat["participant_id"] for one in conversations for seat in one.seats} - {None}
        for stretches in shared:
            reading = partial(erasure.list_texts.many, **self._where(stretches), chars_max=0)
            found |= {row["client_id"] for row in await self.graph.read(reading) if row["goes"]} - {None}
        return frozenset(found)

    async def _references(
        self,
        stretches: list[Row],
        ids: frozenset[str],
        by_ref: dict[int, tuple[str, str]],
        mixed: Mixed,
    ) -> None:
        """Take the ids of what is erased out of what others recorded about something else."""
        reading = partial(
            erasure.list_other_events.many,
            tenant_id=self.tenant_id,
            stretches=stretches,
            people=list(self.person.uids),
        )
        made: dict[int, list[RedactionEvent]] = {}
        for row in await self.graph.read(reading):
            inner = inner_body(row["body"])
            told = without_ids(inner, ids)
            if told != inner:
                mixed.events.append(row["uid"])
                mixed.redacted.append(row["uid"])
                made.setdefault(row["branch_ref"], []).append(self._event(row, told))
        if self.erased_by is not None:
            await self._record_all(made, by_ref)

    def _where(self, stretches: list[Row]) -> dict[str, Any]:
        return {
            "tenant_id": self.tenant_id,
            "stretches": stretches,
            "people": list(self.person.uids),
            "seats": self.person.seats,
        }

    def _titles(self, redact: Redact) -> Iterator[Row]:
        """Titles of what others have a part in; where it is the person's, so are they."""
        for one in self.person.conversations:
            if one.whole:
                continue
            titled = [(one.uid, one.title), *((b["uid"], b["title"]) for b in one.branches)]
            for uid, title in titled:
                new = None if title is None or one.owned else redact(title)
                if new != title:
                    yield {"uid": uid, "properties": {"title": new}}

    async def _decide(self, shared: list[list[Row]], mixed: Mixed) -> None:
        """Find what goes whole: by decision, or since nobody else is left in it. An event that was redacted
        before goes with what it made."""
        places, gone = dict[str, tuple[int, int]](), set[tuple[int, int]]()
        results = dict[str, tuple[int, int]]()
        for stretches in shared:
            events, items = await self._read(stretches)
            mixed.chosen += [row["uid"] for row in events if row["uid"] in self.erase]
            places |= {row["uid"]: (row["branch_ref"], row["said_seq"]) for row in events}
            places |= {row["uid"]: (row["branch_ref"], row["seq"]) for row in items}
            gone |= {places[row["uid"]] for row in events if row["uid"] in self.erase or not row["others"]}
            gone |= {places[row["uid"]] for row in items if row["about"]}
            results |= {
                row["kept"]["call_uid"]: places[row["uid"]]
                for row in items
                if row["label"] == Label.TOOL_ARTIFACT
            }
        for call_uid, at in results.items():  # neither is there without the other
            if call_uid in places and not gone.isdisjoint((places[call_uid], at)):
                gone |= {places[call_uid], at}
        mixed.decided.update(uid for uid, place in places.items() if place in gone)

    async def _read(self, stretches: list[Row]) -> tuple[list[Row], list[Row]]:
        """Events and items of others that name the person too."""
        where = self._where(stretches)
        events = await self.graph.read(partial(erasure.list_mixed_events.many, **where))
        return events, await self.graph.read(partial(erasure.list_mixed_items.many, **where))

    async def _stretches(
        self,
        stretches: list[Row],
        redact: Redact,
        by_ref: dict[int, tuple[str, str]],
        ids: frozenset[str],
        summaries: Summaries,
        mixed: Mixed,
    ) -> None:
        """Record what events read without the person."""
        events, items = await self._read(stretches)
        for row in items:
            if row["uid"] not in mixed.decided:
                await self._keep_large(row, redact, mixed)
        made: dict[int, list[RedactionEvent]] = {}
        for row in events:
            if row["uid"] in mixed.decided:
                continue
            mixed.events.append(row["uid"])
            body = self._body(row, redact, summaries, mixed.blobs, ids)
            if body is not None:
                mixed.redacted.append(row["uid"])
                made.setdefault(row["branch_ref"], []).append(self._event(row, body))
        if self.erased_by is not None:
            await self._record_all(made, by_ref)

    async def _nodes(self, stretches: list[Row], redact: Redact, mixed: Mixed) -> list[Row]:
        """What the nodes of items read without the person, and of what was told of them."""
        _, found = await self._read(stretches)
        items = [row for row in found if row["uid"] not in mixed.decided]
        where = self._where(stretches)
        messages = [row["uid"] for row in items if row["label"] == Label.MESSAGE]
        nodes = [await self._node(row, redact, where, mixed) for row in items]
        return nodes + await self._told(where, messages, redact)

    async def _told(self, where: Row, messages: list[str], redact: Redact) -> list[Row]:
        """What was learned from messages of others, and what releases told, without the person."""
        reading = partial(
            erasure.list_told.many,
            tenant_id=self.tenant_id,
            stretches=where["stretches"],
            people=where["people"],
            messages=messages,
        )
        nodes = []
        for row in await self.graph.read(reading):
            new = changed(Label(row["label"]), row["kept"], redact, self.tokenizer)
            if "subject_uids" in row["kept"]:
                new["subject_uids"] = self._others(row["kept"]["subject_uids"])
            nodes.append({"uid": row["uid"], "properties": new})
        return nodes

    async def _notes(self, row: Row, redact: Redact, where: Row, mixed: Mixed) -> Row:
        """A working memory put together anew from what was noted down of others."""
        reading = partial(
            erasure.list_notes.many,
            tenant_id=self.tenant_id,
            uid=row["uid"],
            people=where["people"],
            seats=where["seats"],
            decided=sorted(mixed.decided),
        )
        fields: dict[str, str] = {}
        block: str | None = None
        for one in await self.graph.read(reading):
            if one["theirs"] or one["body"] is None:
                continue
            body = redacted(inner_body(one["body"]), redact)
            if body.get("fields") is None:
                block = body["block"]
            else:
                patched = fields | body["fields"]
                fields = {name: value for name, value in patched.items() if value is not None}
        tokens = self.tokenizer.count(noted_lines(fields.items(), block))
        return {"fields": canonical(fields), "block": block, "tokens": tokens}

    async def _node(self, row: Row, redact: Redact, where: Row, mixed: Mixed) -> Row:
        """What a node reads without the person."""
        kept, others = row["kept"], self._others(row["kept"]["subject_uids"])
        if row["label"] == Label.WORKING_MEMORY:
            new = await self._notes(row, redact, where, mixed)
        else:
            label, bare = Label(row["label"]), mixed.bare.get(row["uid"], {})
            new = bare | changed(label, kept | bare, redact, self.tokenizer)
            new = with_costs(label, new, kept, self.tokenizer) if bare else new
        for name, digest in _blobs_of(kept):
            told, size = mixed.blobs[digest]
            new |= {f"{name}_blob": told, f"{name}_sha256": told, f"{name}_bytes": size}
        return {"uid": row["uid"], "properties": {**new, "subject_uids": others}}

    async def _keep_large(self, row: Row, redact: Redact, mixed: Mixed) -> None:
        """Keep an item's large bytes, without the person, for those who are left."""
        kept = row["kept"]
        for _, digest in _blobs_of(kept):
            text = (await self.blobs.get(self.tenant_id, kept["subject_uids"], digest)).decode()
            data = redact(text).encode()
            told = hashlib.sha256(data).hexdigest()
            mixed.blobs[digest] = told, len(data)
            if self.erased_by is not None:
                await self.blobs.put(self.tenant_id, self._others(kept["subject_uids"]), told, data)

    def _body(
        self,
        row: Row,
        redact: Redact,
        summaries: Summaries,
        blobs: dict[str, tuple[str, int]],
        ids: frozenset[str],
    ) -> Any | None:
        """The payload without the person; None where it reads as it did."""
        inner = inner_body(row["body"])
        if inner["kind"] == EventKind.COMPACTION:
            at = (row["branch_ref"], row["said_seq"])
            inner["lines"] = [
                summaries.recorded(line, (*at, part)) for part, line in enumerate(inner["lines"])
            ]
        new = without_ids(
            redacted(inner, lambda text: blobs[text][0] if text in blobs else redact(text)), ids
        )
        return None if new == json.loads(row["body"]) else new

    def _event(self, row: Row, body: Any) -> RedactionEvent:
        return RedactionEvent(
            kind="redaction",
            event_uid=row["uid"],
            erased_by=self.erased_by or "",
            body=body,
            actor_uid=row["actor_uid"],
            subject_uids=row["others"],
        )

    async def _record_all(
        self, made: dict[int, list[RedactionEvent]], by_ref: dict[int, tuple[str, str]]
    ) -> None:
        for ref, found in made.items():
            for some in pages(found, REDACTIONS_PER_BATCH):
                await self._record(by_ref[ref], some)

    async def _record(self, at: tuple[str, str], events: Sequence[RedactionEvent]) -> None:
        caller = Caller(tenant_id=self.tenant_id, key_uid="", scopes=frozenset())
        batch = RedactionBatch(conversation_id=at[0], branch_id=at[1], events=list(events))
        await self.append_events(caller, batch, None)

    async def _update(self, nodes: Sequence[Row]) -> None:
        for some in pages(nodes, NODES_PER_BATCH):
            await self.graph.write(
                partial(erasure.update_nodes.none, tenant_id=self.tenant_id, nodes=list(some))
            )

    def _others(self, subject_uids: Sequence[str]) -> list[str]:
        return [uid for uid in subject_uids if uid not in self.person.uids]

    def _redact(self) -> Redact:
        return redactor((*self.person.names(), *self.names))

    async def derive_learned(self, rows: Sequence[Row]) -> int:
        """Give what was learned or documented the words of those who are left; answers how many."""
        redact = self._redact()
        reading = partial(
            erasure.read_shared.many,
            tenant_id=self.tenant_id,
            uids=[row["uid"] for row in rows],
            people=list(self.person.uids),
            whole=self.person.whole,
        )
        nodes: list[Row] = []
        for row in await self.graph.read(reading):
            if row["label"] == Label.QUERY:
                asked = scrub(without_fenced(row["asked"][0]), self.person.names()) if row["asked"] else ""
                nodes.append(
                    {"uid": row["uid"], "properties": {"text": redact(asked or row["kept"]["text"])}}
                )
                continue
            document = changed(Label.KNOWLEDGE_DOCUMENT, row["kept"], redact, self.tokenizer)
            nodes.append({"uid": row["uid"], "properties": document})
            for passage in row["passages"]:
                told = changed(Label.KNOWLEDGE_PASSAGE, passage, redact, self.tokenizer)
                nodes.append({"uid": passage["uid"], "properties": told})
        nodes = [node for node in nodes if node["properties"]]
        if self.erased_by is not None:
            await self._update(nodes)
        return len(rows)


def _blobs_of(kept: Row) -> list[tuple[str, str]]:
    """Which of an item's properties are large bytes, with their digests."""
    found = ((name, kept.get(f"{name}_blob")) for name in ("arguments", "result"))
    return [(name, digest) for name, digest in found if digest is not None]
