"""What recall is measured beside: contexts of the newest messages, and of those that BM25 ranks first.

Packed as the scoring program's own baselines are, and scored by it in the same run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from service.text.tokens import tokenizer

FOUND_MAX = 400
JOINT_TOKENS = 2
"""What a message costs more in a context than alone."""

Order = list[int]


class Baselines:
    """Contexts of one conversation within a budget of tokens."""

    def __init__(self, messages: Sequence[Any], budget: int) -> None:
        self._texts = [f"{message.speaker}: {message.text}" for message in messages]
        self._tokens = [tokenizer().count(text) + JOINT_TOKENS for text in self._texts]
        self._budget = budget
        import bm25s  # type: ignore[import-untyped]  # of the tests' requirements: other benches do without

        self._tokenize = partial(bm25s.tokenize, stopwords="en", show_progress=False)
        self._index = bm25s.BM25()
        self._index.index(self._tokenize(self._texts), show_progress=False)

    def recency(self, question: str) -> str:
        """The newest messages that fit."""
        return self._packed(list(range(len(self._texts) - 1, -1, -1)))

    def bm25(self, question: str) -> str:
        """The messages that BM25 ranks first for a question, as far as they fit."""
        count = min(FOUND_MAX, len(self._texts))
        found, _ = self._index.retrieve(self._tokenize(question), k=count, show_progress=False)
        return self._packed([int(at) for at in found[0]])

    def _packed(self, order: Order) -> str:
        used, kept = 0, []
        for at in order:
            if used + self._tokens[at] <= self._budget:
                used += self._tokens[at]
                kept.append(at)
        return "\n".join(self._texts[at] for at in sorted(kept))


BASELINES: dict[str, Callable[[Baselines, str], str]] = {"recency": Baselines.recency, "bm25": Baselines.bm25}
"""By the name that a result has."""
