"""Which pieces of knowledge answer to a question, and what each is worth to the next call."""

from __future__ import annotations

from collections.abc import Iterable

from service.model.candidates import Note, PassageCandidate
from service.model.vocabulary import Section

COVERED_MIN = 0.3
"""Least share of the question's terms that a piece must have, unless it is near: fewer meet by chance."""
NEAR_MIN = 0.35
"""Least cosine of a piece with the question, unless it has its terms."""
NEAR_WHOLE = 0.5
"""The cosine from which on a piece means what is asked."""
LEAST_RANK = 0.5
"""What a piece keeps of its fit that has none of the question's words, and so no rank by them."""
PASSAGES_MAX = 16
"""Pieces that one assembly considers, best first. Constant, as the candidates of every kind are."""
WORTH = 0.02
"""Worth per token of a piece that fits wholly."""
DIGITS = 4


def met(covered: float, near: float) -> float:
    """How well a piece meets a question, from 0 to 1: by the share of the question's terms that it has, or by
    its cosine with it, whichever tells more; 0 where both tell too little."""
    by_meaning = min(1.0, near / NEAR_WHOLE) if near >= NEAR_MIN else 0.0
    return max(covered if covered >= COVERED_MIN else 0.0, by_meaning)


def fit(meeting: float, relevance: float) -> float:
    """How well a piece answers, from 0 to 1: how it meets the question, by its rank among those that do."""
    return round(meeting * max(relevance, LEAST_RANK), DIGITS)


def weighed(found: Iterable[PassageCandidate]) -> list[Note]:
    """The pieces as notes, best first."""
    return [
        Note(
            uid=passage.uid,
            section=Section.KNOWLEDGE_PASSAGES,
            kind="knowledge_passage",
            text=f"{passage.title}: {passage.text.strip()}",
            worth=passage.fit * WORTH,
            why="answers_question",
        )
        for passage in found
    ]
