"""How sure an answer is: the weighted mean of what is known of four factors, each explained."""

from __future__ import annotations

from collections.abc import Mapping

from service.model.confidence import Confidence, FactorPart, Measured, Share
from service.model.vocabulary import Factor, FactorSource

WEIGHTS = {Factor.RETRIEVAL: 0.4, Factor.POLICY: 0.2, Factor.COMPLETENESS: 0.2, Factor.MEMORY: 0.2}
DIGITS = 4
COUNTED = {
    Factor.RETRIEVAL: "{of} of {among} passages matched the request.",
    Factor.POLICY: "{of} of {among} wanted items might go to the model; rules barred the others.",
    Factor.COMPLETENESS: "The context covered {of} of {among} things that the request names.",
    Factor.MEMORY: "{of} of {among} memories in the context were fresh.",
}
VALUED = {
    Factor.RETRIEVAL: "The best match of the search scored {value:.2f}.",
    Factor.POLICY: "{value:.0%} of what was wanted might go to the model.",
    Factor.COMPLETENESS: "{value:.0%} of what the request names was covered.",
    Factor.MEMORY: "{value:.0%} of the memories used were fresh.",
}
MISSING = {
    Factor.RETRIEVAL: "Nothing was searched.",
    Factor.POLICY: "No context of the service is known for the answer.",
    Factor.COMPLETENESS: "The request names nothing that could be covered.",
    Factor.MEMORY: "No memory was in the context.",
}


def confidence(measured: Mapping[Factor, Measured]) -> Confidence:
    """The composite, from 0 to 1. A missing factor is left out, and its weight goes to the others in
    proportion."""
    total = sum(WEIGHTS[factor] for factor in measured)
    parts = tuple(_part(factor, measured.get(factor), total) for factor in WEIGHTS)
    if not total:
        return Confidence(None, parts)
    composite = sum(WEIGHTS[factor] * one.value for factor, one in measured.items()) / total
    return Confidence(round(composite, DIGITS), parts)


def heaviest_loss(found: Confidence) -> Factor | None:
    """The factor that costs the composite most, the first of equals; None where nothing is lost."""
    losses = {part.factor: part.weight * (1 - part.value) for part in found.parts if part.value is not None}
    worst = max(losses.values(), default=0.0)
    return next((factor for factor, loss in losses.items() if loss == worst > 0), None)


def _part(factor: Factor, one: Measured | None, total: float) -> FactorPart:
    if one is None:
        return FactorPart(factor, None, 0.0, FactorSource.MISSING, MISSING[factor])
    known, value = one.known, round(one.value, DIGITS)
    if isinstance(known, Share):
        told = COUNTED[factor].format(of=known.of, among=known.among)
    else:
        told = VALUED[factor].format(value=value)
    return FactorPart(factor, value, round(WEIGHTS[factor] / total, DIGITS), one.source, told)
