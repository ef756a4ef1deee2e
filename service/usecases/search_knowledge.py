"""Look for the pieces of knowledge that answer to a question, among those published at a moment."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Final

import numpy as np

from service.errors import Unavailable
from service.graph import knowledge
from service.graph.assemblies import PRIVACY_CLASSES
from service.graph.driver import Graph
from service.graph.query import Row
from service.language.embedding import Embedder, Vectors
from service.model.candidates import PassageCandidate
from service.model.vocabulary import PrivacyClass
from service.policies.knowledge import PASSAGES_MAX, fit, met
from service.text.search import relevance
from service.text.search.terms import counted

SEARCHED_MAX: Final = 1_000
"""Pieces that one search looks through, of the newest documents first."""
VECTORS_MAX: Final = 20_000
"""Vectors of pieces that one process keeps: a piece never changes, so each is made once."""


class SearchKnowledge:
    """The search over one graph, by words and by the nearness of vectors."""

    def __init__(self, graph: Graph, embedder: Embedder) -> None:
        self._graph = graph
        self._embedder = embedder
        self._vectors: OrderedDict[str, Vectors] = OrderedDict()

    async def passages(
        self, tenant_id: str, question: str, at: datetime, bookmarks: Sequence[str] = ()
    ) -> tuple[tuple[PassageCandidate, ...], bool]:
        """The best pieces, best first, and whether there were any to look through."""
        rows, searched = await self(tenant_id, question, at, bookmarks)
        return tuple(map(_passage, rows[:PASSAGES_MAX])), searched

    async def __call__(
        self, tenant_id: str, question: str, at: datetime, bookmarks: Sequence[str] = ()
    ) -> tuple[list[Row], bool]:
        """The rows of all pieces that meet the question, each with its `fit`, best first."""
        listed = partial(knowledge.list_passages.many, tenant_id=tenant_id, at=at, limit=SEARCHED_MAX)
        rows = await self._graph.read(listed, bookmarks)
        if not rows:
            return [], False
        terms = counted(question).keys()
        covered = [len(terms & counted(_told(row)).keys()) / max(1, len(terms)) for row in rows]
        near = await self._near(question, rows)
        meeting = [(row, how) for row, how in zip(rows, map(met, covered, near), strict=True) if how]
        ranks = relevance(question, [_told(row) for row, _ in meeting]) if meeting else []
        found = [{**row, "fit": fit(how, rank)} for (row, how), rank in zip(meeting, ranks, strict=True)]
        return sorted(found, key=lambda row: -row["fit"]), True

    async def _near(self, question: str, rows: list[Row]) -> list[float]:
        """The cosine of each piece with the question; 0 for all where the model is away."""
        new = [row for row in rows if row["uid"] not in self._vectors]
        try:
            made = await self._embedder.embed([question, *map(_told, new)])
        except Unavailable:
            return [0.0] * len(rows)
        self._vectors |= {row["uid"]: vector for row, vector in zip(new, made[1:], strict=True)}
        near = np.stack([self._vectors[row["uid"]] for row in rows]) @ made[0]
        while len(self._vectors) > VECTORS_MAX:
            self._vectors.popitem(last=False)
        return [float(one) for one in near]


def _told(row: Row) -> str:
    """A piece as it is searched: its document's title belongs to it."""
    return f"{row['title']}\n{row['text']}"


def _passage(row: Row) -> PassageCandidate:
    return PassageCandidate(
        uid=row["uid"],
        document_id=row["document_id"],
        version=row["version"],
        title=row["title"],
        text=row["text"],
        privacy_class=PRIVACY_CLASSES.get(row["privacy_class"], PrivacyClass.SECRET),
        fit=row["fit"],
    )
