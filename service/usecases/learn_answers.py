"""Learn from the answers that wait: what people asked, what they were told, and which things were named."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final

from service.errors import RuntimeGraphError
from service.graph import knowledge_graph
from service.graph.driver import Graph, Transaction
from service.graph.query import Row
from service.ids import new_uid
from service.model.knowledge_graph import KnowledgeSettings
from service.model.vocabulary import (
    Label,
    ParticipantKind,
    PrivacyClass,
    Rating,
    RunStatus,
    Visibility,
)
from service.policies.decay import rated
from service.policies.learning import Said, may_learn
from service.text.fence import without_fenced
from service.text.mentions import mentioned_keys, text_digest
from service.text.scrubbing import scrub
from service.usecases.configure_tenant import Configurations

PAGE_ROWS: Final = 100
ANSWERS_MAX: Final = 10_000
"""Answers of one tenant that one run takes; what is left is for the next one."""
PASSED_MAX: Final = 100
"""Answers that could not be learned from now and stay queued, before a run gives the tenant up."""
NAMED_MAX: Final = 200
"""Things that one text may name."""
TEXT_CHARS_MAX: Final = 8_000
"""Characters of a question or an answer that are kept."""


@dataclass(slots=True)
class Learned:
    """What became of the answers that one run took from the queue."""

    learned: int = 0
    not_learned: int = 0
    """By the tenant's settings, or since they are private, too sensitive or answer nobody."""
    passed: int = 0
    """They failed and wait on."""


@dataclass(frozen=True, slots=True)
class LearnAnswers:
    """The use case with what it works on. An answer is taken from the queue in the transaction that learns
    from it, so that one that was interrupted is learned from once all the same."""

    graph: Graph
    configurations: Configurations

    async def __call__(self, tenant_id: str) -> Learned:
        """Work off a tenant's queue, longest waiting first. Raises Unavailable where it cannot be read."""
        done = Learned()
        passed: list[str] = []
        while done.learned + done.not_learned < ANSWERS_MAX and len(passed) < PASSED_MAX:
            reading = partial(
                knowledge_graph.list_queued.many, tenant_id=tenant_id, passed_uids=passed, limit=PAGE_ROWS
            )
            page = await self.graph.read(reading)
            if not page:
                break
            for row in page:
                try:
                    learned, _ = await self.graph.write(partial(self._learn, tenant_id, row["uid"]))
                except RuntimeGraphError:
                    passed.append(row["uid"])
                else:
                    done.learned += learned
                    done.not_learned += not learned
        done.passed = len(passed)
        return done

    async def _learn(self, tenant_id: str, message_uid: str, tx: Transaction) -> bool:
        taken = await knowledge_graph.take_queued.one(tx, tenant_id=tenant_id, message_uid=message_uid)
        if taken is None or not taken["questions"]:
            return False
        configuration = await self.configurations.read(tx, tenant_id, taken["active_version"])
        question, answer = taken["questions"][0], taken["answer"]
        if not _may_learn(question, answer, taken["run_status"], configuration.knowledge):
            return False
        asked, told = (_words_of(said["text"], taken["names"]) for said in (question, answer))
        if not asked or not told:
            return False
        in_question = await self._named(tx, tenant_id, asked)
        in_answer = await self._named(tx, tenant_id, told)
        ratings = taken["ratings"]
        await knowledge_graph.learn_query.one(
            tx,
            tenant_id=tenant_id,
            question={
                "query_uid": new_uid(),
                "message_uid": question["uid"],
                "text": asked,
                "text_sha256": text_digest(asked),
                "privacy_class": question["privacy_class"],
                "subject_uids": question["subject_uids"],
                "seq": question["seq"],
            },
            answer={
                "response_uid": new_uid(),
                "message_uid": answer["uid"],
                "conversation_uid": answer["conversation_uid"],
                "text": told,
                "privacy_class": answer["privacy_class"],
                "subject_uids": answer["subject_uids"],
                "recorded_at": taken["recorded_at"],
                "weight": rated(ratings.count(Rating.UP), ratings.count(Rating.DOWN)),
            },
            named={
                "product_uids": in_question.pop(Label.PRODUCT, []),
                "other_uids": [uid for uids in in_question.values() for uid in uids],
                "cited_uids": in_answer.get(Label.DOCUMENT, []),
            },
        )
        return True

    async def _named(self, tx: Transaction, tenant_id: str, text: str) -> dict[str, list[str]]:
        """Uids of the things that a text names, by label."""
        found = await knowledge_graph.find_named.many(
            tx, tenant_id=tenant_id, name_keys=mentioned_keys(text), limit=NAMED_MAX
        )
        named: dict[str, list[str]] = {}
        for row in found:
            named.setdefault(row["label"], []).append(row["uid"])
        return named


def _may_learn(question: Row, answer: Row, run_status: str, settings: KnowledgeSettings) -> bool:
    return may_learn(_said(question), _said(answer), RunStatus(run_status), settings)


def _said(row: Row) -> Said:
    return Said(
        Visibility(row["visibility"]),
        PrivacyClass(row["privacy_class"]),
        ParticipantKind(row["participant_kind"]),
    )


def _words_of(text: str, names: list[str]) -> str:
    """What somebody said: without what a context showed, and without personal data."""
    return scrub(without_fenced(text), names).strip()[:TEXT_CHARS_MAX]
