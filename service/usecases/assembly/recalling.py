"""Find in older talk what a request is about: among what the asker may see, and nothing else."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, date, datetime
from typing import Final

import numpy as np

from service.model.candidates import FoundMessage, MessageCandidate
from service.text import dates
from service.text.search import Query, Relevance, search
from service.text.search.index import View
from service.usecases.assembly.request import Asked, Candidates
from service.usecases.recall.shelves import Shelf, Shelved

DAY_S: Final = 86_400


def find(
    asked: Asked, candidates: Candidates, request: MessageCandidate | None, visible: Collection[str]
) -> list[FoundMessage]:
    """What the search finds for the words of a request, most relevant first: at most `top_k` messages of
    those whose uids are visible."""
    settings = asked.governing.talk
    if request is None or not settings.top_k or not candidates.talk:
        return []
    views = [_view(one, visible) for one in candidates.talk]
    names = {speaker.uid: speaker.name for speaker in candidates.state.speakers.values()}
    vector = candidates.query.vector_of(request.text) if candidates.query else None
    query = Query(request.text, vector, names, _spans(request.text, asked.now))
    answers = search(query, views, settings.message_range)
    relevant = np.concatenate([answer.texts for answer in answers])
    best = np.argsort(-relevant, kind="stable")[: settings.top_k]  # of equals the earlier comes first
    starts = np.cumsum([0, *(len(answer.texts) for answer in answers)])
    found = []
    for at in best[relevant[best] > 0].tolist():
        which = int(np.searchsorted(starts, at, side="right")) - 1
        found.append(_found(candidates.talk[which].shelf, answers[which], at - int(starts[which])))
    return found


def _view(talk: Shelved, visible: Collection[str]) -> View:
    shown = np.zeros(len(talk.shelf.index), dtype=np.bool_)
    shown[talk.first : talk.last] = [message.uid in visible for message in talk.messages()]
    return View(talk.shelf.index, shown, np.array(talk.shelf.times))


def _spans(text: str, now: datetime) -> list[tuple[float, float]]:
    """The times, in seconds, of the days that a text names."""

    def at(day: date) -> float:
        return datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()

    return [(at(first), at(last) + DAY_S) for first, last in dates.named(text, now.date())]


def _found(shelf: Shelf, answer: Relevance, number: int) -> FoundMessage:
    pieces = answer.pieces[shelf.index.pieces_of(number)]
    return FoundMessage(shelf.messages[number], float(answer.texts[number]), tuple(pieces.tolist()))
