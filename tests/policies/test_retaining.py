"""Retention decides: what is held or in use stays, and time never undoes a decision."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.model.configuration import RETAINED, WITH_BYTES, RetentionRule
from service.model.retention import CLASSES, DEFAULTS, RetentionClass
from service.model.vocabulary import Label, RetentionAction
from service.policies.retention import DESTROYING, READABLE, Cause, Decision, Retained, decide

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
KEPT = RetentionAction.KEEP


@st.composite
def rules(draw: st.DrawFn) -> dict[Label, RetentionRule]:
    labels = draw(st.sets(st.sampled_from(RETAINED)))
    actions = {label: draw(st.sampled_from(RetentionAction)) for label in labels}
    return {
        label: RetentionRule(action=a, after_days=None if a is KEPT else draw(st.integers(1, 400)))
        for label, a in actions.items()
    }


records = st.builds(
    Retained,
    label=st.sampled_from(RETAINED),
    recorded_at=st.integers(0, 500).map(lambda days: NOW - timedelta(days=days)),
    held=st.booleans(),
    referred_to=st.booleans(),
)


@given(records, rules())
def test_an_action_is_the_rules_own_or_none(record: Retained, made: dict[Label, RetentionRule]) -> None:
    decision = decide(record, made, NOW)
    assert decision.action is KEPT or decision.action is made[record.label].action
    assert (decision.cause is Cause.DUE) is (decision.action is not KEPT)


@given(records, rules())
def test_what_is_held_stays_and_what_is_referred_to_stays_readable(
    record: Retained, made: dict[Label, RetentionRule]
) -> None:
    decision = decide(record, made, NOW)
    assert not record.held or decision.action is KEPT
    assert not record.referred_to or decision.action in READABLE


@given(records, rules(), st.integers(0, 1000))
def test_time_alone_never_undoes_a_decision(
    record: Retained, made: dict[Label, RetentionRule], days: int
) -> None:
    decision, later = decide(record, made, NOW), decide(record, made, NOW + timedelta(days=days))
    assert decision.action in (KEPT, later.action)


@given(records, rules())
def test_a_record_whose_label_has_no_rule_is_kept(record: Retained, made: dict[Label, RetentionRule]) -> None:
    made.pop(record.label, None)
    assert decide(record, made, NOW) == Decision(KEPT, Cause.NO_RULE)


@pytest.mark.parametrize("label", WITH_BYTES)
def test_a_result_in_use_can_still_be_offloaded_on_its_day_and_not_before(label: Label) -> None:
    made = {label: RetentionRule(action=RetentionAction.OFFLOAD, after_days=30)}
    record = Retained(label, NOW - timedelta(days=30), referred_to=True)
    assert decide(record, made, NOW) == Decision(RetentionAction.OFFLOAD, Cause.DUE)
    assert decide(record, made, NOW - timedelta(seconds=1)) == Decision(KEPT, Cause.NOT_DUE)


def test_an_item_that_an_assembly_shows_is_deleted_only_when_the_assembly_is_gone() -> None:
    made = {Label.TOOL_MEMORY: RetentionRule(action=RetentionAction.DELETE, after_days=1)}
    old = NOW - timedelta(days=2)
    in_use, free = (Retained(Label.TOOL_MEMORY, old, referred_to=one) for one in (True, False))
    assert decide(in_use, made, NOW) == Decision(KEPT, Cause.REFERRED_TO)
    assert decide(free, made, NOW) == Decision(RetentionAction.DELETE, Cause.DUE)


@given(records, rules())
def test_what_names_somebody_restricted_stays_and_what_waits_for_its_result_is_not_destroyed(
    record: Retained, made: dict[Label, RetentionRule]
) -> None:
    assert decide(replace(record, restricted=True), made, NOW).action is KEPT
    assert decide(replace(record, open=True), made, NOW).action is KEPT


@given(records, rules(), st.sampled_from([RetentionAction.ARCHIVE, *DESTROYING]))
def test_what_was_done_is_not_done_again_and_words_that_are_gone_come_to_nothing_milder(
    record: Retained, made: dict[Label, RetentionRule], before: RetentionAction
) -> None:
    decision = decide(replace(record, retained_as=before), made, NOW)
    if decision.action is not RetentionAction.DELETE:
        assert decision.action is not before
        assert before not in DESTROYING or decision.action in READABLE


@pytest.mark.parametrize("label", RETAINED)
def test_every_label_with_a_rule_has_a_class_that_a_tenant_may_shorten(label: Label) -> None:
    assert CLASSES[label] in (RetentionClass.SESSION, RetentionClass.TIME_LIMITED, RetentionClass.DURABLE)


def test_every_label_and_every_class_is_accounted_for() -> None:
    assert CLASSES.keys() == set(Label)
    assert DEFAULTS.keys() == set(CLASSES.values()) == set(RetentionClass)
