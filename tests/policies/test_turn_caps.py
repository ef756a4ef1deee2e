"""A turn goes on while what was used and what is planned stay within every cap."""

from __future__ import annotations

from service.model.policy_settings import TurnCaps
from service.policies.turn_caps import TurnAmounts, exceeded, remaining


def test_a_cap_that_is_just_reached_is_kept_and_one_more_is_too_much() -> None:
    caps, used = TurnCaps(steps_max=3, output_tokens_max=100), TurnAmounts(2, 50, 100)
    assert exceeded(caps, used, TurnAmounts(steps=1)) == ()
    assert exceeded(caps, used, TurnAmounts(steps=2, output_tokens=1)) == ("steps", "output_tokens")
    assert remaining(caps, used) == {"steps": 1, "tool_calls": None, "output_tokens": 0}


def test_what_is_over_already_leaves_nothing_and_no_cap_never_refuses() -> None:
    used = TurnAmounts(5, 5, 5)
    assert remaining(TurnCaps(steps_max=3), used)["steps"] == 0
    assert exceeded(TurnCaps(), used, TurnAmounts(9, 9, 9)) == ()
