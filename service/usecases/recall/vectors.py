"""Vectors of texts, of none that may not go to the model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from service.errors import Unavailable
from service.language.embedding import Embedder
from service.language.embedding import Vectors as Rows
from service.model.vocabulary import PrivacyClass

Classed = tuple[str, PrivacyClass]
"""A text and its class."""


@dataclass(slots=True)
class Vectors:
    """What embeds, and the strictest class of what it is given; stricter texts are found by words alone."""

    embedder: Embedder
    strictest: PrivacyClass = PrivacyClass.SECRET
    _size: int | None = field(default=None, init=False)
    """How many numbers a vector has: others cannot be compared with those that are kept."""

    @property
    def model(self) -> str:
        """The model's name."""
        return self.embedder.model

    def may_embed(self, privacy_class: PrivacyClass) -> bool:
        """Whether texts of a class may go to the model."""
        return PrivacyClass.strictest(privacy_class, self.strictest) is self.strictest

    async def of(self, texts: Iterable[Classed]) -> Rows:
        """One row for each text: of zeros, which are near to nothing, for blanks and for one that may not go
        there. Raises Unavailable, also where the model's vectors are of another size than before."""
        told = [text if self.may_embed(of) and text.strip() else "" for text, of in texts]
        if not told:
            return np.zeros((0, self._size or 0), dtype=np.float32)
        rows = await self.embedder.embed(told)
        self._size = self._size or rows.shape[1]
        if rows.shape[1] != self._size:
            raise Unavailable("The embedding model answers vectors of another size than before.")
        return rows * np.array([[bool(text)] for text in told], dtype=np.float32)
