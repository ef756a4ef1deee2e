"""Judge how sure an answer is, and make it a learning candidate where a person should look at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import structlog

from service.clock import Clock
from service.errors import NotFound, RuntimeGraphError
from service.graph import learning
from service.graph.driver import Graph, Transaction
from service.graph.query import Row
from service.ids import new_uid
from service.model.confidence import Confidence
from service.model.configuration import LearningSettings
from service.model.consistency import ConsistencyToken
from service.model.vocabulary import (
    Factor,
    FactorSource,
    Feedback,
    ReviewAction,
    ReviewState,
    Role,
    Visibility,
)
from service.policies import policy_version
from service.policies.confidence import confidence
from service.policies.failures import Failure, classify
from service.policies.threshold import DECISIONS_MAX, Decided, in_force
from service.text.dates import told_as_future
from service.usecases.assembly.factors import as_json, measured
from service.usecases.configure_tenant import DEFAULTS, Configurations

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Given:
    """What somebody knows of an answer: factors from 0 to 1, and what a person made of it.

    It adds to what was given before. This is where feedback from elsewhere comes in.
    """

    factors: Mapping[Factor, float] = field(default_factory=dict)
    feedback: Feedback | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer's confidence with its parts, and what is likely wrong with it."""

    found: Confidence
    threshold: float
    feedback: Feedback | None
    failure: Failure | None
    judged_at: datetime

    def told(self) -> dict[str, Any]:
        """As callers read it."""
        composite = self.found.composite
        return {
            "composite": composite,
            "threshold": self.threshold,
            "below_threshold": composite is not None and composite < self.threshold,
            "parts": [asdict(part) for part in self.found.parts],
            "feedback": self.feedback,
            "failure_class": self.failure.failure_class if self.failure else None,
            "why": self.failure.why if self.failure else None,
            "judged_at": self.judged_at,
        }


@dataclass(frozen=True, slots=True)
class JudgeAnswer:
    """The use case with what it works on."""

    graph: Graph
    clock: Clock
    configurations: Configurations

    async def __call__(
        self, tenant_id: str, message_id: str, given: Given, token: ConsistencyToken
    ) -> tuple[dict[str, Any], ConsistencyToken]:
        """Judge an answer anew, with what the caller knows of it. Raises NotFound."""
        told, bookmarks = await self.graph.write(
            partial(self._judge, tenant_id, message_id, given), token.bookmarks
        )
        assert told is not None, "what is asked for is judged"
        return told, ConsistencyToken(tuple(bookmarks))

    async def read(self, tenant_id: str, message_id: str, token: ConsistencyToken) -> dict[str, Any]:
        """The judgement that stands. Raises NotFound, also where the answer was not judged."""

        async def work(tx: Transaction) -> dict[str, Any]:
            opened = await _open(tx, tenant_id, message_id)
            if opened["judgement"] is None:
                raise NotFound("judgement of this answer")
            return _told(opened, as_judged(opened["answer"], opened["judgement"], opened["factors"]))

        return await self.graph.read(work, token.bookmarks)

    async def when_answered(self, tenant_id: str, message_ids: Sequence[str]) -> None:
        """Judge those messages that are answers to a context; what stands against it is nobody's fault."""
        try:
            due = await self.graph.read(
                lambda tx: learning.list_due.many(tx, tenant_id=tenant_id, message_ids=list(message_ids))
            )
            await self.by_itself(tenant_id, due)
        except RuntimeGraphError as refused:
            _log.info("judging put off", code=refused.code)

    async def when_rated(self, tenant_id: str, message_id: str, feedback: Feedback) -> None:
        """Judge an answer anew by what its users made of it, where it answered to a context."""
        try:
            await self(tenant_id, message_id, Given(feedback=feedback), ConsistencyToken())
        except RuntimeGraphError as refused:
            _log.info("judging left out", code=refused.code)

    async def overdue(self, tenant_id: str, age: tuple[timedelta, timedelta], limit: int) -> list[Row]:
        """Answers to contexts of an age between those two that should have been judged by themselves."""
        now = self.clock()
        youngest, oldest = age

        async def work(tx: Transaction) -> list[Row]:
            rows = await learning.list_unjudged.many(
                tx, tenant_id=tenant_id, since=now - oldest, until=now - youngest, limit=limit
            )
            version = next((row["active_version"] for row in rows), DEFAULTS)
            wanted = (await self.configurations.read(tx, tenant_id, version)).learning.enabled
            return rows if wanted else []

        return await self.graph.read(work)

    async def by_itself(self, tenant_id: str, due: list[Row]) -> int:
        """Judge these answers, each in a unit of work of its own, where nobody has meanwhile; answers how
        many."""
        judged = 0
        for row in due:
            told, _ = await self.graph.write(partial(self._judge, tenant_id, row["message_id"], None))
            judged += told is not None
        return judged

    async def _judge(
        self, tenant_id: str, message_id: str, given: Given | None, tx: Transaction
    ) -> dict[str, Any] | None:
        """None where nobody has asked and it is judged already, or not to be judged by itself."""
        await learning.lock_answer.none(tx, tenant_id=tenant_id, message_id=message_id)
        opened = await _open(tx, tenant_id, message_id)
        configuration = await self.configurations.read(tx, tenant_id, opened["active_version"])
        settings, known = configuration.learning, opened["judgement"]
        if given is None and (known is not None or not settings.enabled):
            return None
        given = given or Given()
        factors = measured(known["factors"] if known else None, FactorSource.CALLER)
        given_factors = {factor: one.known for factor, one in factors.items()} | dict(given.factors)
        feedback = given.feedback or (known and known["feedback"])
        row = {
            "message_uid": opened["answer"]["uid"],
            "factors": as_json(given_factors),
            "feedback": feedback,
            "threshold": in_force(settings, await newest_decisions(tx, tenant_id)),
            "configuration_number": opened["active_version"],
            "policy_version": policy_version(configuration.version()),
            "judged_at": self.clock(),
        }
        judged = as_judged(opened["answer"], row, opened["factors"])
        row["composite"] = judged.found.composite
        await learning.write_judgement.none(tx, tenant_id=tenant_id, uid=new_uid(), judgement=row)
        if judged.failure is not None and _may_be_captured(opened, settings):
            opened["candidate_id"] = await self._capture(tx, tenant_id, opened, judged.failure)
        return _told(opened, judged)

    async def _capture(self, tx: Transaction, tenant_id: str, opened: Row, failure: Failure) -> str:
        messages = [opened["answer"], *opened["questions"]]
        candidate = {
            "uid": new_uid(),
            "message_uid": opened["answer"]["uid"],
            "failure_class": failure.failure_class.value,
            "state": ReviewState.OPEN.value,
            "version": 0,
            "subject_uids": sorted({uid for message in messages for uid in message["subject_uids"]}),
            "created_at": self.clock(),
        }
        made = await learning.capture_candidate.one(
            tx,
            tenant_id=tenant_id,
            candidate=candidate,
            question_uid=next((question["uid"] for question in opened["questions"]), None),
        )
        assert made is not None, "the answer was just read"
        return str(made["uid"])


def as_judged(answer: Row, judgement: Row, counted: str | None) -> Judged:
    """A judgement worked out from what was known: what the assembly counted, under what callers gave."""
    factors = measured(counted, FactorSource.ASSEMBLY) | measured(judgement["factors"], FactorSource.CALLER)
    found = confidence(factors)
    feedback = Feedback(judgement["feedback"]) if judgement["feedback"] else None
    at = judgement["judged_at"]
    judged_at = at if isinstance(at, datetime) else at.to_native()
    days = told_as_future(answer["text"] or "")
    failure = classify(found, judgement["threshold"], feedback, days, judged_at)
    return Judged(found, judgement["threshold"], feedback, failure, judged_at)


async def newest_decisions(tx: Transaction, tenant_id: str) -> list[Decided]:
    """What reviewers decided last, newest first, as the threshold follows it."""
    rows = await learning.list_newest.many(tx, tenant_id=tenant_id, limit=DECISIONS_MAX)
    return [
        Decided(row["action"] == ReviewAction.APPROVE, row["threshold"], row["threshold_start"])
        for row in rows
    ]


async def _open(tx: Transaction, tenant_id: str, message_id: str) -> Row:
    row = await learning.open_answer.one(tx, tenant_id=tenant_id, message_id=message_id)
    if row is None or row["answer"]["role"] != Role.ASSISTANT:
        raise NotFound("answer")
    return row


def _may_be_captured(opened: Row, settings: LearningSettings) -> bool:
    """What is kept for auditors alone goes to no reviewer either."""
    messages = [opened["answer"], *opened["questions"]]
    return settings.enabled and all(message["visibility"] != Visibility.AUDIT for message in messages)


def _told(opened: Row, judged: Judged) -> dict[str, Any]:
    return {
        "message_id": opened["answer"]["message_id"],
        "assembly_id": opened["assembly_id"],
        "candidate_id": opened["candidate_id"],
        **judged.told(),
    }
