"""How sure an answer is, as plain values: what is known of each factor, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass

from service.model.vocabulary import Factor, FactorSource


@dataclass(frozen=True, slots=True)
class Share:
    """So many `of` so many. Of nothing there is no share: then the factor is missing."""

    of: int
    among: int

    @property
    def value(self) -> float:
        """From 0 to 1."""
        return self.of / self.among


Known = float | Share
"""What is known of a factor: a value from 0 to 1, or a share that an assembly counted."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One factor as it is known, and from whom."""

    known: Known
    source: FactorSource

    @property
    def value(self) -> float:
        """From 0 to 1."""
        return self.known.value if isinstance(self.known, Share) else self.known


@dataclass(frozen=True, slots=True)
class FactorPart:
    """What one factor brings to a confidence; value None where it is missing."""

    factor: Factor
    value: float | None
    weight: float
    """Its share of the composite, after the weights of missing factors went to the others."""
    source: FactorSource
    explanation: str


@dataclass(frozen=True, slots=True)
class Confidence:
    """The composite of what is known, from 0 to 1, with every part; None where nothing is."""

    composite: float | None
    parts: tuple[FactorPart, ...]
