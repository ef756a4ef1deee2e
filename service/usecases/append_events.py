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
    HeadMoved,
    IdempotencyKeyReused,
    IdTaken,
    InvalidRequest,
    NotFound,
    RuntimeGraphError,
    UnknownReference,
)
from service.graph import log
from service.graph.driver import Graph, Transaction
from service.ids import new_branch_ref, new_uid
from service.model.caller import Caller
from service.model.chain import SALT_BYTES, Envelope, canonical, commitment, genesis
from service.model.consistency import ConsistencyToken
from service.model.events import (
    MAIN_BRANCH,
    Batch,
    CloseEvent,
    ConversationEvent,
    ForkEvent,
    ParticipantEvent,
    ReopenEvent,
)
from service.model.lineage import NUMBERS_PER_MERGE, Lineage, merges_until
from service.storage.blobs import Blobs
from service.text.tokens import Tokenizer
from service.usecases.projection import Known, Projection
from service.usecases.references import named_ids, new_ids
from service.usecases.sealing import Head, Sealed, seal

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

    async def __call__(self, caller: Caller, batch: Batch, idempotency_key: str | None) -> Appended:
        """Apply `batch` for the caller's tenant.

        The same key with the same batch answers as it did the first time; without a key the batch's own
        digest is the key. Raises HeadMoved, BranchClosed, IdTaken, UnknownReference, IdempotencyKeyReused,
        InvalidRequest, NotFound, Conflict.
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
    batch: Batch
    key: str
    request_hash: str
    large: bool

    async def run(self, tx: Transaction) -> dict[str, Any]:
        now = self.case.clock()
        opened = await log.open_for_append.one(
            tx,
            tenant_id=self.tenant_id,
            conversation_id=self.batch.conversation_id,
            branch_id=self.batch.branch_id,
            idempotency_key=self.key,
            named=named_ids(self.batch),
        )
        if opened is None:
            raise NotFound("conversation")
        self._stop_if_answered(opened["answered"])
        self._check_shape(opened)
        await self._read_arguments(opened["calls"])
        users = await self._users(tx, opened["users"], now)
        if opened["conversation"] is None:
            await self._open_conversation(tx, opened, users, now)
        known = _known(self.batch, opened, users)
        projection = Projection(known, self.case.tokenizer, now)
        await self._work(lambda: projection.read(self.batch.events))
        for sha256, data in projection.rows.blobs.items():
            await self.case.blobs.put(self.tenant_id, sha256, data)
        head = await self._take_lock(tx, known.branch_ref)
        sealed = await self._work(
            lambda: seal(projection, head, self._envelopes(projection, opened, head, now))
        )
        await self._inherit(tx, sealed, head)
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
            "pins": {row["pin_id"] for row in opened["pins"]},
            "checkpoints": {row["checkpoint_id"] for row in opened["checkpoints"]},
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
                data = await self.case.blobs.get(self.tenant_id, call["arguments_blob"])
                call["arguments"] = data.decode()

    async def _users(self, tx: Transaction, found: list[dict[str, Any]], now: datetime) -> dict[str, str]:
        users = {row["user_id"]: row["uid"] for row in found}
        missing = [one for one in named_ids(self.batch)["user_ids"] if one not in users]
        if missing:
            rows = [{"user_id": one, "uid": new_uid(), "created_at": now} for one in missing]
            made = await log.ensure_users.many(tx, tenant_id=self.tenant_id, users=rows)
            users |= {row["user_id"]: row["uid"] for row in made}
        return users

    async def _open_conversation(
        self, tx: Transaction, opened: dict[str, Any], users: dict[str, str], now: datetime
    ) -> None:
        event = self.batch.events[0]
        assert isinstance(event, ConversationEvent)
        conversation = {
            "uid": new_uid(),
            "conversation_id": self.batch.conversation_id,
            "title": event.title,
            "user_uid": users[event.user_id] if event.user_id else None,
            "runtime_kind": event.runtime_kind.value,
            "created_at": now,
        }
        branch_uid = new_uid()
        branch = {
            "uid": branch_uid,
            "branch_ref": new_branch_ref(),
            "branch_id": MAIN_BRANCH,
            "conversation_uid": conversation["uid"],
            "conversation_id": self.batch.conversation_id,
            "lineage": [],
            "cutoffs": [],
            "base": 0,
            "head": 0,
            "head_hash": genesis(self.tenant_id, branch_uid),
            "transcript_tokens": 0,
            "transcript_items": 0,
            "inherited_items": 0,
            "created_at": now,
        }
        await log.create_conversation.none(
            tx, tenant_id=self.tenant_id, conversation=conversation, branch=branch
        )
        opened["conversation"] = conversation
        opened["branch"] = branch
        opened["branches"] = [branch]

    async def _take_lock(self, tx: Transaction, branch_ref: int) -> Head:
        taken = await log.advance_head.one(
            tx,
            tenant_id=self.tenant_id,
            branch_ref=branch_ref,
            count=len(self.batch.events),
            idempotency_key=self.key,
        )
        if taken is None:
            raise NotFound("branch")
        self._stop_if_answered(taken["answered"])
        self._stop_where_closed(taken["closed"])
        if self.batch.expected_head is not None and self.batch.expected_head != taken["head"]:
            raise HeadMoved(taken["head"])
        return Head(taken["head"], taken["head_hash"], taken["transcript_tokens"], taken["transcript_items"])

    def _stop_where_closed(self, closed: bool) -> None:
        for index, event in enumerate(self.batch.events):
            if closed and not isinstance(event, ReopenEvent):
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
                at=now.isoformat(timespec="microseconds").replace("+00:00", "Z"),
                actor_uid=entry.actor_uid,
                subject_uids=entry.subject_uids,
                payload_commitment=commitment(salt, entry.body),
                previous_hash=previous,
            )
            previous = envelope.hash()
            made.append((envelope, salt))
        return made

    async def _inherit(self, tx: Transaction, sealed: Sealed, head: Head) -> None:
        """Give every forked branch its lineage, its first link and its running totals, in the batch's order:
        one may fork from another."""
        for row in sealed.rows["branches"]:
            parent, location = row.pop("parent"), row.pop("location")
            own = parent["branch_ref"] == sealed.branch_ref
            parent_head = row["seq"] - 1 if own else parent["head"]
            at_seq = row.pop("at_seq") or parent_head
            at_message = row.pop("at_message")
            if not 1 <= at_seq <= parent_head:
                raise InvalidRequest(
                    [{"location": f"{location}.at_seq", "problem": f"the parent's head is {parent_head}"}]
                )
            whole = Lineage.of_row(parent, parent_head)
            if at_message is not None:
                at_seq = at_message["seq"]
                if not whole.holds(at_message["branch_ref"], at_seq):
                    raise UnknownReference(f"{location}.at_message_id")
            inherited = whole.up_to(at_seq)
            last = inherited.stretches[-1]
            link = sealed.link(at_seq) if last.branch_ref == sealed.branch_ref else None
            link = link or await log.read_link.one(
                tx, tenant_id=self.tenant_id, branch_ref=last.branch_ref, seq=at_seq
            )
            if link is None:
                raise InvalidRequest([{"location": f"{location}.at_seq", "problem": "names no event"}])
            merges = parent.get("merges") or []
            if own:
                merges = merges + [number for merge in sealed.rows["merges"] for number in merge["merges"]]
            row["parent_ref"] = parent["branch_ref"]
            row["base"] = at_seq
            row["properties"] |= {
                "tenant_id": self.tenant_id,
                "lineage": [s.branch_ref for s in inherited.stretches],
                "cutoffs": [s.ceiling for s in inherited.stretches],
                "merges": merges_until(merges, at_seq),
                "base": at_seq,
                "head": at_seq,
                "head_hash": link["hash"],
                "transcript_tokens": link["transcript_tokens"],
                "transcript_items": link["transcript_items"],
                "inherited_items": link["transcript_items"],
            }
            row.pop("seq")

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


def _known(batch: Batch, opened: dict[str, Any], users: dict[str, str]) -> Known:
    branch = opened["branch"]
    lineage = Lineage.of_row(branch)
    within = [row for row in opened["messages"] if lineage.holds(row["branch_ref"], row["seq"])]
    runs = [row for row in opened["runs"] if lineage.holds(row["branch_ref"], row["seq"])]
    return Known(
        conversation_uid=opened["conversation"]["uid"],
        conversation_id=batch.conversation_id,
        owner_user_uid=opened["conversation"].get("user_uid"),
        branch_ref=branch["branch_ref"],
        lineage=lineage,
        users=users,
        participants={row["participant_id"]: row for row in opened["participants"]},
        messages={row["message_id"]: row["uid"] for row in within},
        message_places={row["message_id"]: row for row in opened["messages"]},
        pins={
            row["pin_id"]: row["uid"]
            for row in opened["pins"]
            if lineage.holds(row["branch_ref"], row["seq"])
        },
        runs={row["run_id"]: row["uid"] for row in runs},
        calls={row["call_id"]: row for row in opened["calls"]},
        assemblies=frozenset(
            row["uid"] for row in opened["assemblies"] if lineage.covers(row["branch_ref"], row["head"])
        ),
        parents={row["branch_id"]: row for row in opened["branches"]},
        merged_stretches=len(branch.get("merges") or []) // NUMBERS_PER_MERGE,
    )
