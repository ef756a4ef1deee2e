"""Review learning candidates: list, read, and decide on them. An approval publishes a knowledge document."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from service.clock import LAST_TIME, Clock
from service.errors import Conflict, InvalidRequest, NotFound, VersionMoved
from service.graph import learning
from service.graph.driver import Graph, Transaction
from service.graph.query import Row
from service.ids import new_uid
from service.model.caller import Caller
from service.model.chain import canonical
from service.model.consistency import ConsistencyToken
from service.model.vocabulary import PrivacyClass, ReviewAction, ReviewState, Role
from service.policies.review import after
from service.policies.threshold import in_force
from service.text.scrubbing import scrub
from service.usecases.configure_tenant import Configurations
from service.usecases.judge_answer import as_judged, newest_decisions
from service.usecases.keep_knowledge import KeepKnowledge, NewVersion, end

TITLE_CHARS = 200
"""What a document's title takes of a question."""
COUNTING = (ReviewAction.APPROVE, ReviewAction.REJECT)
"""What the threshold follows."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Which candidates are asked for; None: any."""

    state: str | None = None
    failure_class: str | None = None
    assignee: str | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What a reviewer decides about the candidate at `expected_version`."""

    action: ReviewAction
    reviewer: str
    expected_version: int
    reason: str | None = None
    assignee: str | None = None
    question: str | None = None
    answer: str | None = None
    """In place of the messages' words, where they are given."""
    privacy_class: PrivacyClass | None = None
    """May be stricter than the messages, never milder."""


@dataclass(frozen=True, slots=True)
class ReviewCandidates:
    """The use case with what it works on. `secret` keys the digests by which a repeated request is known."""

    graph: Graph
    clock: Clock
    configurations: Configurations
    knowledge: KeepKnowledge
    secret: bytes

    async def listed(
        self, caller: Caller, filters: Filters, before: datetime | None, limit: int, token: ConsistencyToken
    ) -> list[Row]:
        """A page, newest first, of those that were captured before that time."""
        return await self.graph.read(
            lambda tx: learning.list_candidates.many(
                tx,
                tenant_id=caller.tenant_id,
                before=before or LAST_TIME,
                state=filters.state,
                failure_class=filters.failure_class,
                assignee=filters.assignee,
                limit=limit,
            ),
            token.bookmarks,
        )

    async def read(self, caller: Caller, candidate_id: str, token: ConsistencyToken) -> dict[str, Any]:
        """A candidate with question, answer, confidence and decisions. Raises NotFound."""

        async def work(tx: Transaction) -> dict[str, Any]:
            return _told(await _read(tx, caller.tenant_id, candidate_id))

        return await self.graph.read(work, token.bookmarks)

    async def decide(
        self, caller: Caller, candidate_id: str, decision: Decision
    ) -> tuple[dict[str, Any], ConsistencyToken]:
        """Write a decision, once; the same one again is answered the same.

        Approving publishes a document, reopening takes it back. Raises NotFound, VersionMoved, Conflict,
        InvalidRequest.
        """

        async def work(tx: Transaction) -> dict[str, Any]:
            await learning.lock_candidate.one(tx, tenant_id=caller.tenant_id, candidate_id=candidate_id)
            row = await _read(tx, caller.tenant_id, candidate_id)
            if not self._repeated(row, decision):
                await self._decide(tx, caller.tenant_id, row, decision)
                row = await _read(tx, caller.tenant_id, candidate_id)
            return _told(row)

        told, bookmarks = await self.graph.write(work)
        return told, ConsistencyToken(tuple(bookmarks))

    def _repeated(self, row: Row, decision: Decision) -> bool:
        version, newest = row["candidate"]["version"], next(reversed(row["decisions"]), None)
        if version == decision.expected_version:
            return False
        if newest is None or newest["request_hash"] != self._hash(decision):
            raise VersionMoved("expected_version", version)
        return True

    async def _decide(self, tx: Transaction, tenant_id: str, row: Row, decision: Decision) -> None:
        candidate, now = row["candidate"], self.clock()
        state = after(ReviewState(candidate["state"]), decision.action)
        if state is None:
            raise Conflict(f"The candidate is {candidate['state']}.")
        if decision.action is ReviewAction.APPROVE:
            await self._publish(tx, tenant_id, row, decision)
        elif decision.action is ReviewAction.REOPEN:
            for document in row["documents"]:
                await end(tx, tenant_id, document["document_id"], document["version"], now)
        written: Row = {
            "uid": new_uid(),
            "action": decision.action.value,
            "reviewer": decision.reviewer,
            "assignee": decision.assignee,
            "reason": decision.reason,
            "edits": [name for name in ("question", "answer") if getattr(decision, name) is not None],
            "version": candidate["version"] + 1,
            "request_hash": self._hash(decision),
            "decided_at": now,
        }
        if decision.action in COUNTING:
            settings = (await self.configurations.read(tx, tenant_id, row["active_version"])).learning
            written["threshold"] = in_force(settings, await newest_decisions(tx, tenant_id))
            written["threshold_start"] = settings.threshold
        changes = {"state": state.value, "version": candidate["version"] + 1}
        if decision.action is ReviewAction.ASSIGN:
            changes["assignee"] = decision.assignee
        await learning.decide_candidate.none(
            tx, tenant_id=tenant_id, candidate_id=candidate["uid"], changes=changes, decision=written
        )

    async def _publish(self, tx: Transaction, tenant_id: str, row: Row, decision: Decision) -> None:
        """The approved words as a document: never milder than the messages that they come from."""
        said = _by_role(row)
        question = _words(decision.question, said.get(Role.USER), "question")
        answer = _words(decision.answer, said.get(Role.ASSISTANT), "answer")
        classes = [PrivacyClass(message["privacy_class"]) for message in row["messages"]]
        new = NewVersion(
            title=question[:TITLE_CHARS],
            text=answer,
            source="review",
            privacy_class=PrivacyClass.strictest(*classes, *filter(None, [decision.privacy_class])),
            subject_uids=tuple(sorted({uid for one in row["messages"] for uid in one["subject_uids"]})),
        )
        document_id = row["candidate"]["uid"]
        newest = next((document["version"] for document in row["documents"]), 0)
        await self.knowledge.publish(tx, tenant_id, document_id, new, newest, candidate_uid=document_id)

    def _hash(self, decision: Decision) -> str:
        said = canonical({name: getattr(decision, name) for name in Decision.__slots__})
        return hmac.new(self.secret, said.encode(), hashlib.sha256).hexdigest()


async def _read(tx: Transaction, tenant_id: str, candidate_id: str) -> Row:
    row = await learning.read_candidate.one(tx, tenant_id=tenant_id, candidate_id=candidate_id)
    if row is None:
        raise NotFound("learning candidate")
    return row


def _words(edited: str | None, message: Row | None, field: str) -> str:
    """The reviewer's words as they are, or the message's without personal data."""
    words = edited if edited is not None else (scrub(message["text"] or "") if message else "")
    if not words.strip():
        raise InvalidRequest([{"location": field, "problem": "is needed: the candidate has none"}])
    return words


def _by_role(row: Row) -> Mapping[str, Row]:
    return {message["role"]: message for message in row["messages"]}


def _told(row: Row) -> dict[str, Any]:
    candidate, said = row["candidate"], _by_role(row)
    answer, judgement = said.get(Role.ASSISTANT), row["judgement"]
    judged = as_judged(answer, judgement, row["factors"]).told() if answer and judgement else None
    return {
        "candidate_id": candidate["uid"],
        "state": candidate["state"],
        "version": candidate["version"],
        "failure_class": candidate["failure_class"],
        "assignee": candidate.get("assignee"),
        "created_at": candidate["created_at"].to_native(),
        "question": _message(said.get(Role.USER)),
        "answer": _message(answer),
        "confidence": judged,
        "decisions": [{**one, "decided_at": one["decided_at"].to_native()} for one in row["decisions"]],
        "document": next(iter(row["documents"]), None),
    }


def _message(message: Row | None) -> Row | None:
    return message and {name: message[name] for name in ("message_id", "text", "privacy_class")}
