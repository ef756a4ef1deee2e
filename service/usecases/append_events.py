"""Append a batch of events to one branch: all of it or nothing, once."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from service.clock import Clock
from service.errors import (
    BranchClosed,
    Conflict,
    ConstraintBroken,
    Gone,
    HeadMoved,
    IdempotencyKeyReused,
    IdTaken,
    InvalidRequest,
    NotFound,
    RuntimeGraphError,
)
from service.graph import log
from service.graph.driver import Graph, Transaction
from service.ids import new_uid
from service.model.caller import Caller
from service.model.chain import SALT_BYTES, Envelope, canonical, commitment, stamp
from service.model.consistency import ConsistencyToken
from service.model.events import (
    MAIN_BRANCH,
    AnyBatch,
    CloseEvent,
    ConversationEvent,
    ForkEvent,
    ParticipantEvent,
    RedactionBatch,
    RedactionEvent,
    ReopenEvent,
)
from service.storage.blobs import Blobs
from service.text.tokens import Tokenizer
from service.usecases.configure_tenant import Configurations
from service.usecases.erased_ids import ErasedIds
from service.usecases.recording.forking import inherit
from service.usecases.recording.opening import (
    known_of,
    open_conversation,
    with_user_memories,
    with_working_memories,
)
from service.usecases.recording.people import People, named_digests, refuse_erased, where_named
from service.usecases.recording.projection import Projection
from service.usecases.recording.references import named_ids, new_ids
from service.usecases.recording.sealing import Head, Sealed, seal

Made = TypeVar("Made")
ATTEMPTS_MAX = 3
"""A batch that meets its own twin, or draws a branch ref twice, is tried again."""
IN_LOOP_BYTES_MAX = 256 * 1024
"""A larger batch is projected and sealed in a thread: other requests are answered meanwhile."""


@dataclass(frozen=True, slots=True)
class Appended:
    """The answer to a batch: the branch's head after it, and `(seq, uid)` of every event in order."""

    head: int
    events: list[dict[str, Any]]
    token: ConsistencyToken
    repeated: bool


@dataclass(frozen=True, slots=True)
class AppendEvents:
    """The use case with what it works on. `secret` keys the digest that recognises a repeated request."""

    graph: Graph
    blobs: Blobs
    tokenizer: Tokenizer
    clock: Clock
    secret: bytes
    configurations: Configurations

    @property
    def erased(self) -> ErasedIds:
        """What refuses the ids of erased people."""
        return ErasedIds(self.secret)

    async def __call__(self, caller: Caller, batch: AnyBatch, idempotency_key: str | None) -> Appended:
        """Apply `batch` for the caller's tenant.

        The same key with the same batch answers as it did the first time; without a key the batch's own
        digest is the key. Raises HeadMoved, VersionMoved, BranchClosed, IdTaken, UnknownReference,
        IdempotencyKeyReused, InvalidRequest, NotFound, Conflict, and Gone where it names somebody who was
        erased.
        """
        text = canonical(batch.model_dump(mode="json")).encode()
        request_hash = hmac.new(self.secret, text, hashlib.sha256).hexdigest()
        key = idempotency_key or f"batch:{request_hash}"
        unit = _Unit(self, caller.tenant_id, batch, key, request_hash, len(text) > IN_LOOP_BYTES_MAX)
        for attempt in range(1, ATTEMPTS_MAX + 1):
            try:
                answer, bookmarks = await self.graph.write(unit.run)
                break
            except ConstraintBroken as broken:
                if attempt == ATTEMPTS_MAX:
                    raise Conflict("An id in the batch was taken by another writer meanwhile.") from broken
            except _Answered as answered:
                answer, bookmarks = answered.answer, []
                break
        return Appended(
            head=answer["head"],
            events=answer["events"],
            token=ConsistencyToken(tuple(bookmarks), answer["branch_ref"], answer["head"]),
            repeated=not bookmarks,
        )


class _Answered(RuntimeGraphError):
    """The batch was applied before: leave the transaction without a trace and give the stored answer."""

    def __init__(self, answer: dict[str, Any]) -> None:
        super().__init__()
        self.answer = answer


@dataclass(frozen=True, slots=True)
class _Unit:
    """One batch as a unit of work; `run` may be called more than once and has no state of its own."""

    case: AppendEvents
    tenant_id: str
    batch: AnyBatch
    key: str
    request_hash: str
    large: bool

    async def run(self, tx: Transaction) -> dict[str, Any]:
        now = self.case.clock()
        erased = named_digests(self.case.erased, self.batch)
        opened = await log.open_for_append.one(
            tx,
            tenant_id=self.tenant_id,
            conversation_id=self.batch.conversation_id,
            branch_id=self.batch.branch_id,
            idempotency_key=self.key,
            named=named_ids(self.batch) | {"id_digests": list(erased)},
        )
        if opened is None:
            raise NotFound("conversation")
        self._stop_if_answered(opened["answered"])
        if not isinstance(self.batch, RedactionBatch):  # which takes the erased out of what others said
            await refuse_erased(tx, self.tenant_id, self.case.erased, self.batch, opened, erased)
        self._check_shape(opened)
        await self._read_arguments(opened["calls"])
        users = await self._users(tx, opened["users"], now)
        if opened["conversation"] is None:
            await open_conversation(tx, self.tenant_id, self.batch, opened, users, now)
        if users:
            await log.note_subjects.none(
                tx,
                tenant_id=self.tenant_id,
                conversation_uid=opened["conversation"]["uid"],
                user_uids=sorted(users.values()),
            )
        known = await with_working_memories(
            tx, self.tenant_id, self.batch, known_of(self.batch, opened, users), self.case.configurations
        )
        known = await with_user_memories(tx, self.tenant_id, self.batch, known, now)
        projection = Projection(known, self.case.tokenizer, now)
        await self._work(lambda: projection.read(self.batch.events))
        head = await self._take_lock(tx, known.branch_ref, People.of(known, projection.logged))
        # An erasure waits for the lock: nothing is sealed for a person whose keys it has destroyed.
        for (subject_uids, sha256), data in projection.rows.blobs.items():
            await self.case.blobs.put(self.tenant_id, subject_uids, sha256, data)
        sealed = await self._work(
            lambda: seal(projection, head, self._envelopes(projection, opened, head, now))
        )
        await inherit(tx, self.tenant_id, sealed)
        answer = {
            "head": sealed.head.seq,
            "branch_ref": known.branch_ref,
            "events": [{"seq": e.seq, "uid": e.event_uid} for e in sealed.envelopes],
        }
        await log.append_events.none(
            tx,
            tenant_id=self.tenant_id,
            branch_ref=known.branch_ref,
            head_hash=sealed.head.hash,
            transcript_tokens=sealed.head.transcript_tokens,
            transcript_items=sealed.head.transcript_items,
            idempotency={
                "key": self.key,
                "request_hash": self.request_hash,
                "answer": json.dumps(answer),
                "created_at": now,
            },
            events=sealed.events,
        )
        await self._complete(tx, known.branch_ref, sealed)
        await log.write_rows(tx, self.tenant_id, sealed.rows)
        return answer

    async def _work(self, work: Callable[[], Made]) -> Made:
        """Run what needs the processor and nothing else; of a large batch beside the event loop."""
        return await asyncio.to_thread(work) if self.large else work()

    def _stop_if_answered(self, record: dict[str, Any] | None) -> None:
        if record is None:
            return
        if record["request_hash"] != self.request_hash:
            raise IdempotencyKeyReused
        raise _Answered(json.loads(record["answer"]))

    def _check_shape(self, opened: dict[str, Any]) -> None:
        opens = isinstance(self.batch.events[0], ConversationEvent)
        if opened["conversation"] is None and not (opens and self.batch.branch_id == MAIN_BRANCH):
            raise NotFound("conversation (a new one begins with a `conversation` event on branch main)")
        if opened["conversation"] is not None and opens:
            raise IdTaken("conversation_id")
        if opened["conversation"] is not None and opened["branch"] is None:
            raise NotFound("branch")
        taken = {
            "messages": {row["message_id"] for row in opened["messages"]},
            "runs": {row["run_id"] for row in opened["runs"]},
            "calls": {row["call_id"] for row in opened["calls"]},
            "claims": {row["claim_id"] for row in opened["claims"]},
            "user_memories": {row["memory_id"] for row in opened["user_memories"]},
            "pins": {row["pin_id"] for row in opened["pins"]},
            "checkpoints": {row["checkpoint_id"] for row in opened["checkpoints"]},
            "compactions": {row["compaction_id"] for row in opened["compactions"]},
            "participants": {row["participant_id"] for row in opened["participants"]},
            "branches": {MAIN_BRANCH, *(row["branch_id"] for row in opened["branches"])},
        }
        for index, event in enumerate(self.batch.events):
            if self.batch.branch_id != MAIN_BRANCH and isinstance(event, ParticipantEvent | ForkEvent):
                raise InvalidRequest(
                    [{"location": f"events[{index}].kind", "problem": "is recorded on branch main"}]
                )
            for kind, client_id, location in new_ids(event, index):
                if client_id in taken[kind]:
                    raise IdTaken(location)
                taken[kind].add(client_id)

    async def _read_arguments(self, calls: list[dict[str, Any]]) -> None:
        """Fetch large arguments of earlier calls: the notes of their results name them."""
        for call in calls:
            if call["arguments_blob"] is not None:
                blob = (call["subject_uids"], call["arguments_blob"])
                data = await self.case.blobs.get(self.tenant_id, *blob)
                call["arguments"] = data.decode()

    async def _users(self, tx: Transaction, found: list[dict[str, Any]], now: datetime) -> dict[str, str]:
        users = {row["user_id"]: row["uid"] for row in found}
        missing = [one for one in named_ids(self.batch)["user_ids"] if one not in users]
        made = await self.case.erased.ensured_users(
            tx, self.tenant_id, missing, now, lambda user_id: where_named(self.batch, user_id)
        )
        return users | made

    async def _take_lock(self, tx: Transaction, branch_ref: int, people: People) -> Head:
        taken = await log.advance_head.one(
            tx,
            tenant_id=self.tenant_id,
            branch_ref=branch_ref,
            count=len(self.batch.events),
            idempotency_key=self.key,
            user_uids=sorted(people.uids),
        )
        if taken is None:
            raise NotFound("branch")
        self._stop_if_answered(taken["answered"])
        if taken["ended"] and not isinstance(self.batch, RedactionBatch):
            raise Gone(people.place_of(taken["ended"]))
        self._stop_where_closed(taken["closed"])
        if self.batch.expected_head is not None and self.batch.expected_head != taken["head"]:
            raise HeadMoved(taken["head"])
        return Head(taken["head"], taken["head_hash"], taken["transcript_tokens"], taken["transcript_items"])

    def _stop_where_closed(self, closed: bool) -> None:
        for index, event in enumerate(self.batch.events):
            if closed and not isinstance(event, ReopenEvent | RedactionEvent):
                raise BranchClosed(f"events[{index}]")
            closed = isinstance(event, CloseEvent)

    def _envelopes(
        self, projection: Projection, opened: dict[str, Any], head: Head, now: datetime
    ) -> list[tuple[Envelope, bytes]]:
        """Envelopes in chain order, each with its payload's salt."""
        previous = head.hash
        made: list[tuple[Envelope, bytes]] = []
        for offset, entry in enumerate(projection.logged, start=1):
            salt = secrets.token_bytes(SALT_BYTES)
            envelope = Envelope(
                tenant_id=self.tenant_id,
                branch_uid=opened["branch"]["uid"],
                seq=head.seq + offset,
                event_uid=new_uid(),
                kind=entry.kind,
                at=stamp(now),
                actor_uid=entry.actor_uid,
                subject_uids=entry.subject_uids,
                payload_commitment=commitment(salt, entry.body),
                previous_hash=previous,
            )
            previous = envelope.hash()
            made.append((envelope, salt))
        return made

    async def _complete(self, tx: Transaction, branch_ref: int, sealed: Sealed) -> None:
        """Complete artifacts of earlier batches."""
        if not sealed.results:
            return
        done = await log.complete_tool_artifacts.many(
            tx, tenant_id=self.tenant_id, branch_ref=branch_ref, results=sealed.results
        )
        completed = {row["uid"] for row in done}
        for result in sealed.results:
            if result["uid"] not in completed:
                raise Conflict(f"The call at {result['location']} has its result already.")
