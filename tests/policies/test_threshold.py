"""The threshold follows what reviewers decide: between its bounds, in one direction, and not by a few."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle

from hypothesis import given
from hypothesis import strategies as st

from service.model.configuration import LearningSettings
from service.policies.threshold import DECISIONS_MIN, STEP, Decided, in_force, moved

bounds = (
    st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
    .map(sorted)
    .map(lambda three: LearningSettings(threshold_min=three[0], threshold=three[1], threshold_max=three[2]))
)
approvals = st.lists(st.booleans(), max_size=60)
SETTINGS = LearningSettings()


def reviewed(
    approve: Callable[[float], bool], decisions: int, settings: LearningSettings = SETTINGS
) -> float:
    """The threshold after so many decisions, each made under the one in force."""
    newest: list[Decided] = []
    for _ in range(decisions):
        current = in_force(settings, newest)
        newest.insert(0, Decided(approve(current), current, settings.threshold))
    return in_force(settings, newest)


@given(bounds, st.floats(0, 1), approvals)
def test_it_stays_within_its_bounds(settings: LearningSettings, current: float, made: list[bool]) -> None:
    after = moved(settings, current, made)
    assert round(settings.threshold_min, 4) <= after <= round(settings.threshold_max, 4)


@given(st.floats(0.4, 0.8), approvals, st.data())
def test_another_approval_in_place_of_a_rejection_never_raises_it(
    current: float, made: list[bool], data: st.DataObject
) -> None:
    more = [one or data.draw(st.booleans()) for one in made]
    assert moved(SETTINGS, current, more) <= moved(SETTINGS, current, made)


@given(st.floats(0.4, 0.8), st.lists(st.booleans(), max_size=DECISIONS_MIN - 1))
def test_a_few_decisions_do_not_move_it(current: float, made: list[bool]) -> None:
    assert moved(SETTINGS, current, made) == round(current, 4)


def test_it_falls_when_nearly_all_are_approved_and_rises_when_many_are_rejected() -> None:
    assert moved(SETTINGS, 0.6, [True] * 9 + [False]) == 0.6 - STEP
    assert moved(SETTINGS, 0.6, [True] * 5 + [False] * 5) == 0.6 + STEP
    assert moved(SETTINGS, 0.6, [True] * 7 + [False] * 3) == 0.6


def test_each_move_takes_decisions_of_its_own() -> None:
    assert reviewed(lambda _: True, DECISIONS_MIN) == 0.58
    assert reviewed(lambda _: True, 2 * DECISIONS_MIN - 1) == 0.58
    assert reviewed(lambda _: True, 2 * DECISIONS_MIN) == 0.56


def test_it_comes_to_rest_at_a_bound_where_all_decisions_are_alike() -> None:
    assert reviewed(lambda _: True, 400) == SETTINGS.threshold_min
    assert reviewed(lambda _: False, 400) == SETTINGS.threshold_max


@given(st.floats(0.02, 0.4))
def test_it_comes_to_rest_where_some_captured_answers_are_right_and_some_are_not(right_above: float) -> None:
    """Answers are right from some confidence on, and come evenly from all that is below the threshold."""
    settings = LearningSettings(threshold=0.5, threshold_min=0.0, threshold_max=1.0)

    def rested(decisions: int) -> float:
        spread = cycle((number * 7 % 10 + 0.5) / 10 for number in range(10))
        return reviewed(lambda threshold: next(spread) * threshold >= right_above, decisions, settings)

    after = rested(400)
    assert right_above < after < 1.0
    assert rested(600) == after


def test_it_starts_anew_from_another_configured_threshold_and_can_be_fixed() -> None:
    newest = [Decided(True, 0.6, 0.6)] * DECISIONS_MIN
    assert in_force(SETTINGS, newest) == 0.58
    assert in_force(LearningSettings(threshold=0.7), newest) == 0.7
    assert in_force(LearningSettings(tunes_itself=False), newest) == 0.6
