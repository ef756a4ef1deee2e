"""An answer's confidence is what is known of it, weighed; what is likely wrong with it is found by rule."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.model.confidence import Measured, Share
from service.model.vocabulary import Factor, FactorSource, FailureClass, Feedback
from service.policies.confidence import WEIGHTS, confidence, heaviest_loss
from service.policies.failures import classify

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
PERFECT = dict.fromkeys(Factor, 1.0)
known = st.dictionaries(st.sampled_from(Factor), st.floats(0, 1))


def measured(values: dict[Factor, float]) -> dict[Factor, Measured]:
    return {factor: Measured(value, FactorSource.CALLER) for factor, value in values.items()}


def test_the_composite_weighs_retrieval_by_four_tenths_and_the_others_by_two() -> None:
    values = {
        Factor.RETRIEVAL: 0.5,
        Factor.POLICY: 1.0,
        Factor.COMPLETENESS: 0.25,
        Factor.MEMORY: 0.75,
    }
    assert confidence(measured(values)).composite == 0.6


def test_a_missing_factor_gives_its_weight_to_the_others_and_says_that_it_is_missing() -> None:
    found = confidence(measured({Factor.RETRIEVAL: 1.0, Factor.MEMORY: 0.25}))
    assert found.composite == 0.75
    weights = {part.factor: part.weight for part in found.parts}
    assert weights == {"retrieval": 0.6667, "policy": 0.0, "completeness": 0.0, "memory": 0.3333}
    missing = [part for part in found.parts if part.source is FactorSource.MISSING]
    assert [part.value for part in missing] == [None, None] and all(part.explanation for part in missing)


def test_of_nothing_there_is_no_confidence() -> None:
    assert confidence({}).composite is None


@given(known)
def test_the_composite_lies_among_its_values_and_each_factor_is_explained(
    values: dict[Factor, float],
) -> None:
    found = confidence(measured(values))
    assert [part.factor for part in found.parts] == list(WEIGHTS)
    assert all(part.explanation for part in found.parts)
    if values:
        assert found.composite is not None
        assert min(values.values()) - 1e-3 <= found.composite <= max(values.values()) + 1e-3
        assert sum(part.weight for part in found.parts) == pytest.approx(1, abs=1e-3)


@given(known, st.sampled_from(Factor), st.floats(0, 1))
def test_a_better_value_never_lowers_the_composite(
    values: dict[Factor, float], factor: Factor, better: float
) -> None:
    before = confidence(measured({**values, factor: min(values.get(factor, 0.0), better)})).composite
    after = confidence(measured({**values, factor: better})).composite
    assert before is not None and after is not None and after >= before


def test_a_share_tells_its_two_counts() -> None:
    found = confidence({Factor.POLICY: Measured(Share(12, 14), FactorSource.ASSEMBLY)})
    told = next(part for part in found.parts if part.factor is Factor.POLICY)
    assert told.value == 0.8571 and told.explanation.startswith("12 of 14 wanted items")


def test_what_costs_most_names_the_class() -> None:
    expected = {
        Factor.RETRIEVAL: FailureClass.RETRIEVAL_MISS,
        Factor.POLICY: FailureClass.POLICY_BLOCK,
        Factor.COMPLETENESS: FailureClass.INCOMPLETE_CONTEXT,
        Factor.MEMORY: FailureClass.STALE_MEMORY,
    }
    for factor, failure_class in expected.items():
        found = confidence(measured({**PERFECT, factor: 0.1}))
        assert heaviest_loss(found) is factor
        failure = classify(found, 0.99, None, [], NOW)
        assert failure is not None and failure.failure_class is failure_class
        assert "is below 0.99" in failure.why


def test_an_answer_at_the_threshold_need_not_be_looked_at() -> None:
    found = confidence(measured(dict.fromkeys(Factor, 0.6)))
    assert classify(found, 0.6, None, [], NOW) is None
    assert classify(found, 0.6, Feedback.POSITIVE, [], NOW) is None
    assert classify(confidence({}), 0.6, None, [], NOW) is None


def test_a_day_that_is_over_told_as_still_to_come_is_a_signal_whatever_the_confidence() -> None:
    perfect = confidence(measured(PERFECT))
    failure = classify(perfect, 0.6, None, [date(2020, 3, 3)], NOW)
    assert failure is not None and failure.failure_class is FailureClass.HALLUCINATION_SIGNAL
    assert "2020-03-03" in failure.why and "2026-06-01" in failure.why
    assert classify(perfect, 0.6, None, [date(2026, 6, 1)], NOW) is None


def test_what_a_person_said_comes_before_every_rule() -> None:
    failure = classify(confidence(measured(PERFECT)), 0.6, Feedback.NEGATIVE, [date(2020, 3, 3)], NOW)
    assert failure is not None and failure.failure_class is FailureClass.NEGATIVE_FEEDBACK
