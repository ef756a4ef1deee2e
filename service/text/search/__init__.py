"""Search among given texts and nothing else: what is not among them changes no result.

Two rankings are joined by reciprocal rank (Cormack, Clarke and Büttcher, 2009): by words (BM25 with the
statistics of the given texts alone; Robertson and Zaragoza, 2009) and by the nearness of vectors, where there
are any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Final

import numpy as np

from service.text.search.index import Mask, Postings, Scores, Vectors, View
from service.text.search.terms import counted

QUERY_TERMS_MAX: Final = 64
"""Terms of a query that count, rarest first."""
SATURATION, LENGTH_PART = 1.2, 0.75
"""BM25's k1 and b."""
RANK_SHIFT: Final = 10
"""How slowly relevance falls with rank: the k of reciprocal rank."""
WORDS, WHOLE, PART = 1.0, 0.9, 0.3
"""Weights of the rankings of a text: by words, by its vector, by the vector of its nearest piece."""
PIECE_WORDS, PIECE_NEAR = 1.0, 0.6
"""Weights of the two rankings of a piece."""
NEIGHBOUR: Final = 0.6
"""What a text gets of each of those said right before and after it, and again of the next ones; a piece, of
the better one of its two."""
SAID_THEN: Final = 0.5
"""Weight of having been said when the query says, beside the weights of the rankings."""
SESSION_PAUSE_S: Final = 6 * 3_600
"""After a longer pause another session begins."""
OF_THE_WHOLE: Final = 0.3
"""Part of a piece's relevance that its text's makes up."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for; `vector` only where every text that is shown has its own."""

    text: str
    vector: Vectors | None = None
    names: Mapping[str, str] | None = None
    """How those who said the texts are called: a name in the query leads to what they said."""
    spans: Sequence[tuple[float, float]] = ()
    """Times that it names, from and until, in seconds: they lead to what was said then."""


@dataclass(frozen=True, slots=True)
class Relevance:
    """How relevant the texts of one view are, from 0 to 1, and their pieces; 0 for what is not shown."""

    texts: Scores
    pieces: Scores


def search(query: Query, views: Sequence[View], neighbours: int = 0) -> list[Relevance]:
    """One answer for each view; the views are ranked together.

    `neighbours`: over how many places of what is shown a text leads to those said before and after it, the
    last of a view coming right before the first of the next; 0 where they stand in no order.
    """
    shown = [view.shown for view in views]
    own = _ranked(WORDS, _by_words(query, [view.index.texts for view in views], shown, views), shown)
    most = WORDS
    if query.vector is not None:
        wholes = [view.index.near_texts(query.vector) for view in views]
        own += _ranked(WHOLE, wholes, shown, near=True)
        best = [_best(view, view.index.near_pieces(query.vector)) for view in views]
        own += _ranked(PART, best, shown, near=True)
        most += WHOLE + PART
    times = _flat([np.zeros(len(view.index)) if view.times is None else view.times for view in views])
    own += SAID_THEN / RANK_SHIFT * _within(times, query.spans) * _flat(shown)
    of_texts = np.zeros(len(own))
    places = np.flatnonzero(_flat(shown))
    of_texts[places] = _with_neighbours(own[places], times[places], neighbours)
    of_texts = of_texts / max(most / RANK_SHIFT, float(of_texts.max(initial=0.0)))
    of_pieces = _of_pieces(query, views, of_texts)
    text_ends = np.cumsum([len(view.index) for view in views])[:-1]
    piece_ends = np.cumsum([len(view.index.pieces.lengths) for view in views])[:-1]
    parts = zip(np.split(of_texts, text_ends), np.split(of_pieces, piece_ends), strict=True)
    return [Relevance(of_view, its_pieces) for of_view, its_pieces in parts]


def relevance(query: str, texts: Sequence[str]) -> list[float]:
    """How relevant each of some texts is by its words, from 0 to 1; they stand in no order."""
    postings = Postings()
    for text in texts:
        postings.add(text)
    shown = [np.ones(len(texts), dtype=np.bool_)]
    ranked = _ranked(WORDS, _by_words(Query(query), [postings], shown), shown)
    return [float(one) for one in ranked / (WORDS / RANK_SHIFT)]


def _within(times: Scores, spans: Sequence[tuple[float, float]]) -> Mask:
    """What was said in one of the spans."""
    within = np.zeros(len(times), dtype=np.bool_)
    for since, until in spans:
        within |= (times >= since) & (times < until)
    return within


def _with_neighbours(own: Scores, times: Scores, neighbours: int) -> Scores:
    """What is said leads to its neighbours within its session."""
    found = own.copy()
    sessions = np.cumsum(np.diff(times, prepend=times[:1]) > SESSION_PAUSE_S)
    for away in range(1, min(neighbours, len(own) - 1) + 1):
        together = sessions[away:] == sessions[:-away]
        found[away:] += NEIGHBOUR**away * own[:-away] * together
        found[:-away] += NEIGHBOUR**away * own[away:] * together
    return found


def _of_pieces(query: Query, views: Sequence[View], of_texts: Scores) -> Scores:
    shown = [view.pieces_shown for view in views]
    own = _ranked(PIECE_WORDS, _by_words(query, [view.index.pieces for view in views], shown), shown)
    if query.vector is not None:
        near = [view.index.near_pieces(query.vector) for view in views]
        own += _ranked(PIECE_NEAR, near, shown, near=True)
    counts = np.concatenate([view.index.piece_counts() for view in views])
    of_text = np.repeat(np.arange(len(of_texts)), counts)
    beside = np.zeros(len(own))
    same = of_text[1:] == of_text[:-1]
    beside[1:] = np.where(same, own[:-1], 0.0)
    beside[:-1] = np.maximum(beside[:-1], np.where(same, own[1:], 0.0))
    own = own + NEIGHBOUR * beside
    own = own / max(float(own.max(initial=0.0)), 1e-9)
    mixed: Scores = ((1 - OF_THE_WHOLE) * own + OF_THE_WHOLE * of_texts[of_text]) * _flat(shown)
    return mixed


def _by_words(
    query: Query, postings: Sequence[Postings], shown: Sequence[Mask], views: Sequence[View] = ()
) -> list[Scores]:
    """BM25 over all that is shown; with `views`, a name in the query counts as a word of what its owner
    said."""
    lengths = [np.array(one.lengths, dtype=np.float64) for one in postings]
    number = sum(int(mask.sum()) for mask in shown)
    total = sum(float(length[mask].sum()) for length, mask in zip(lengths, shown, strict=True))
    average = max(1.0, total / max(1, number))
    norms = [SATURATION * (1 - LENGTH_PART + LENGTH_PART * length / average) for length in lengths]
    found: list[tuple[float, list[Scores]]] = []
    for term in counted(query.text):
        times = [one.times(term) for one in postings]
        named = {by for by, name in (query.names or {}).items() if term in counted(name)}
        if named:
            for at, view in enumerate(views):
                times[at] += np.fromiter((by in named for by in view.index.by), dtype=np.float64)
        having = sum(int(np.count_nonzero(one[mask])) for one, mask in zip(times, shown, strict=True))
        if having:
            found.append((log(1 + (number - having + 0.5) / (having + 0.5)), times))
    found.sort(key=lambda pair: -pair[0])
    scores = [np.zeros(len(length)) for length in lengths]
    for rarity, times in found[:QUERY_TERMS_MAX]:
        for at, one in enumerate(times):
            scores[at] += rarity * one * (SATURATION + 1) / (one + norms[at])
    return scores


def _ranked(weight: float, scores: Sequence[Scores], shown: Sequence[Mask], near: bool = False) -> Scores:
    """Reciprocal ranks among what is shown, of what scores above 0; where scores tell how `near` vectors are,
    of what has one. Of equals the earlier comes first."""
    flat, visible = _flat(scores), _flat(shown)
    counting = visible & ((flat != 0) if near else (flat > 0))
    places = np.flatnonzero(counting)
    order = places[np.argsort(-flat[places], kind="stable")]
    reciprocal = np.zeros(len(flat))
    reciprocal[order] = weight / (RANK_SHIFT + np.arange(len(order)))
    return reciprocal


def _best(view: View, of_pieces: Scores) -> Scores:
    """The best piece's score of each text."""
    if not len(view.index):
        return np.zeros(0)
    starts = np.concatenate(([0], np.array(view.index.ends[:-1], dtype=np.int64)))
    return np.maximum.reduceat(of_pieces, starts)


def _flat(parts: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate(parts) if parts else np.zeros(0)
