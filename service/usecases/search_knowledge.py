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
from service.language.embedding import Vectors as Vector
from service.model.candidates import PassageCandidate
from service.model.vocabulary import PrivacyClass
from service.policies.knowledge import PASSAGES_MAX, fit, met
from service.text.search import relevance
from service.text.search.terms import counted
from service.usecases.recall.vectors import Classed, Vectors

SEARCHED_MAX: Final = 1_000
"""Pieces that one search looks through, of the newest documents first."""
VECTORS_MAX: Final = 20_000
"""Vectors of pieces that one process keeps: a piece never changes, so each is made once."""


class SearchKnowledge:
    """The search over one graph, by words and by the nearness of vectors."""

    def __init__(self, graph: Graph, vectors: Vectors) -> None:
        self._graph = graph
        self._vectors = vectors
        self._kept: OrderedDict[tuple[str, str], Vector] = OrderedDict()
        self._forgotten = 0

    def forget(self, tenant_id: str) -> None:
        """Drop what is kept of a tenant; what is being read meanwhile is not kept either."""
        self._forgotten += 1
        for key in [key for key in self._kept if key[0] == tenant_id]:
            del self._kept[key]

    async def passages(
        self, tenant_id: str, question: Classed, at: datetime, bookmarks: Sequence[str] = ()
    ) -> tuple[tuple[PassageCandidate, ...], bool]:
        """The best pieces, best first, and whether there were any to look through."""
        rows, searched = await self(tenant_id, question, at, bookmarks)
        return tuple(map(_passage, rows[:PASSAGES_MAX])), searched

    async def __call__(
        self, tenant_id: str, question: Classed, at: datetime, bookmarks: Sequence[str] = ()
    ) -> tuple[list[Row], bool]:
        """The rows of all pieces that meet the question, each with its `fit`, best first."""
        listed = partial(knowledge.list_passages.many, tenant_id=tenant_id, at=at, limit=SEARCHED_MAX)
        forgotten = self._forgotten
        rows = await self._graph.read(listed, bookmarks)
        if not rows:
            return [], False
        terms = counted(question[0]).keys()
        covered = [len(terms & counted(_told(row)).keys()) / max(1, len(terms)) for row in rows]
        near = await self._near(tenant_id, question, rows, forgotten)
        meeting = [(row, how) for row, how in zip(rows, map(met, covered, near), strict=True) if how]
        ranks = relevance(question[0], [_told(row) for row, _ in meeting]) if meeting else []
        found = [{**row, "fit": fit(how, rank)} for (row, how), rank in zip(meeting, ranks, strict=True)]
        return sorted(found, key=lambda row: -row["fit"]), True

    async def _near(self, tenant_id: str, question: Classed, rows: list[Row], forgotten: int) -> list[float]:
        """The cosine of each piece with the question; 0 for all where the model does not tell."""
        keys = ((tenant_id, row["uid"]) for row in rows)
        known = {key[1]: self._kept[key] for key in keys if key in self._kept}
        new = [row for row in rows if row["uid"] not in known]
        try:
            made = await self._vectors.of([question, *((_told(row), _class(row)) for row in new)])
        except Unavailable:
            return [0.0] * len(rows)
        known |= {row["uid"]: vector for row, vector in zip(new, made[1:], strict=True)}
        if forgotten == self._forgotten:
            # others may have dropped some meanwhile
            self._kept |= {(tenant_id, uid): vector for uid, vector in known.items()}
        near = np.stack([known[row["uid"]] for row in rows]) @ made[0]
        while len(self._kept) > VECTORS_MAX:
            self._kept.popitem(last=False)
        return [float(one) for one in near]


def _told(row: Row) -> str:
    """A piece as it is searched: its document's title belongs to it."""
    return f"{row['title']}\n{row['text']}"


def _class(row: Row) -> PrivacyClass:
    return PRIVACY_CLASSES.get(row["privacy_class"], PrivacyClass.SECRET)


def _passage(row: Row) -> PassageCandidate:
    return PassageCandidate(
        uid=row["uid"],
        document_id=row["document_id"],
        version=row["version"],
        title=row["title"],
        text=row["text"],
        privacy_class=_class(row),
        fit=row["fit"],
    )
