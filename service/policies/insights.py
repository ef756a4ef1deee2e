"""What a tenant's users want or lack: drawn from what they asked, shown where enough of them did."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from service.model.candidates import Focus, InsightCandidate, Note
from service.model.knowledge_graph import KnowledgeSettings
from service.model.verdict import KEEP, Reason, Verdict
from service.model.vocabulary import InsightKind, PrivacyClass, Section
from service.policies.decay import decayed, is_good

WORTH = 0.004
"""What the first insight of a kind is worth per token; the second half of that, and so on."""
RELATED = 0.02
"""What one that shares all its words with the request is worth beside that."""
QUESTION_CHARS_MAX = 300

_WORD = re.compile(r"\w{3,}")


@dataclass(frozen=True, slots=True)
class Search:
    """A query's edge to a product."""

    product_uid: str
    title: str
    initial_weight: float
    strengthened_at: datetime


@dataclass(frozen=True, slots=True)
class AskedQuery:
    """A query as insights see it, with who asked it."""

    uid: str
    text: str
    privacy_class: PrivacyClass
    askers: frozenset[str]
    answer_weights: tuple[float, ...] = ()
    searched: tuple[Search, ...] = ()


@dataclass(frozen=True, slots=True)
class Drawn:
    """An insight to be, with the node that it is drawn from."""

    kind: InsightKind
    source_uid: str
    text: str
    rank: int
    asker_count: int
    privacy_class: PrivacyClass


@dataclass(slots=True)
class _Popular:
    title: str
    weight: float = 0.0
    askers: set[str] = field(default_factory=set)


def draw(
    queries: Sequence[AskedQuery], settings: KnowledgeSettings, node_count: int, now: datetime
) -> list[Drawn]:
    """The insights of queries, last asked first; none where the knowledge graph is too small."""
    if not settings.enabled or node_count < settings.insights_min_nodes:
        return []
    return [*_popular(queries, settings, now), *_unanswered(queries, settings)]


def judge(insight: InsightCandidate, settings: KnowledgeSettings) -> Verdict:
    """Gate one insight by the settings that govern the assembly, which may be others than it was drawn by."""
    if not settings.enabled or insight.node_count < settings.insights_min_nodes:
        return Verdict(Reason.KNOWLEDGE_TOO_SMALL)
    if insight.asker_count < settings.insight_users_min:
        return Verdict(Reason.ASKED_BY_TOO_FEW)
    return KEEP


def weighed(insights: Iterable[InsightCandidate], focus: Focus) -> list[Note]:
    """Insights as notes of a context, best first."""
    asked = _words(focus.request_text)
    notes = [
        Note(
            uid=one.uid,
            section=Section.INSIGHTS,
            kind="insight",
            text=one.text,
            worth=WORTH / one.rank + RELATED * _share(_words(one.text), asked),
            why=one.kind.value,
        )
        for one in insights
    ]
    return sorted(notes, key=lambda note: (-note.worth, note.uid))


def _popular(queries: Sequence[AskedQuery], settings: KnowledgeSettings, now: datetime) -> list[Drawn]:
    products: dict[str, _Popular] = {}
    for query in queries:
        for one in query.searched:
            product = products.setdefault(one.product_uid, _Popular(one.title))
            product.weight += decayed(one.initial_weight, one.strengthened_at, now, settings.half_life_days)
            product.askers |= query.askers
    wanted = [(uid, one) for uid, one in products.items() if len(one.askers) >= settings.insight_users_min]
    wanted.sort(key=lambda entry: (-entry[1].weight, entry[0]))
    return [
        Drawn(
            InsightKind.POPULAR_PRODUCT,
            uid,
            f"often asked about: {one.title}",
            rank,
            len(one.askers),
            PrivacyClass.INTERNAL,
        )
        for rank, (uid, one) in enumerate(wanted[: settings.popular_max], start=1)
    ]


def _unanswered(queries: Sequence[AskedQuery], settings: KnowledgeSettings) -> list[Drawn]:
    lacking = [
        query
        for query in queries
        if len(query.askers) >= settings.insight_users_min and not any(map(is_good, query.answer_weights))
    ]
    return [
        Drawn(
            InsightKind.OPEN_QUESTION,
            query.uid,
            f"asked without a good answer: {' '.join(query.text.split())[:QUESTION_CHARS_MAX]}",
            rank,
            len(query.askers),
            query.privacy_class,
        )
        for rank, query in enumerate(lacking[: settings.unanswered_max], start=1)
    ]


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _share(words: frozenset[str], of: frozenset[str]) -> float:
    return len(words & of) / len(words) if words else 0.0
