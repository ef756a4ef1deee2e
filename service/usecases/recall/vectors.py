"""Vectors of texts, of none that may not go to the model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from service.language.embedding import Embedder
from service.language.embedding import Vectors as Rows
from service.model.vocabulary import PrivacyClass

Classed = tuple[str, PrivacyClass]
"""A text and its class."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """What embeds, and the strictest class of what it is given; stricter texts are found by words alone."""

    embedder: Embedder
    strictest: PrivacyClass = PrivacyClass.SECRET

    @property
    def model(self) -> str:
        """The model's name."""
        return self.embedder.model

    def may_embed(self, privacy_class: PrivacyClass) -> bool:
        """Whether texts of a class may go to the model."""
        return PrivacyClass.strictest(privacy_class, self.strictest) is self.strictest

    async def of(self, texts: Iterable[Classed]) -> Rows:
        """One row for each text; that of one which may not go there is near to none. Raises Unavailable."""
        return await self.embedder.embed([text if self.may_embed(of) else "" for text, of in texts])
