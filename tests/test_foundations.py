"""Errors, ids and the clock: what every room relies on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest

from service import errors
from service.clock import FixedClock, SystemClock
from service.ids import BRANCH_REF_MAX, new_branch_ref, new_uid

MANY = 20_000
EVERY_ERROR = [
    errors.BranchClosed("events[0]"),
    errors.RehydrationRefused("Its class may not go there.", "privacy_class_barred"),
    errors.SourceUnreadable(1, False),
    errors.LogRewritten(),
    errors.NotFound("branch"),
    errors.Gone("events[0].user_id"),
    errors.Conflict(),
    errors.HeadMoved(7),
    errors.VersionMoved("events[0].expected_version", 3),
    errors.IdTaken("events[0].message_id"),
    errors.ConstraintBroken("message_key"),
    errors.IdempotencyKeyReused(),
    errors.InvalidRequest([{"location": "events[1].kind", "problem": "is not known"}]),
    errors.UnknownReference("events[2].run_id"),
    errors.BudgetTooSmall(120, "current_exchange"),
    errors.LimitExceeded("request body", 1024, "bytes"),
    errors.Unauthorized(),
    errors.Forbidden("record"),
    errors.NothingToCompact(7),
    errors.ResidueFound(["graph: Message.text"]),
    errors.LedgerUnusable("The ledger is missing."),
    errors.KeysElsewhere(),
    errors.ErasuresToReplay(2),
    errors.Unavailable(),
    errors.OutcomeUnknown(),
    errors.TimedOut(),
    errors.TimedOutWriting(),
]


def kinds(base: type[errors.RuntimeGraphError]) -> set[type[errors.RuntimeGraphError]]:
    """Every error class of service.errors below `base`."""
    below = {kind for kind in base.__subclasses__() if kind.__module__ == errors.__name__}
    return below.union(*(kinds(kind) for kind in below))


def test_every_kind_of_error_has_a_code_of_its_own() -> None:
    tree = kinds(errors.RuntimeGraphError)
    assert {type(one) for one in EVERY_ERROR} == tree
    assert len({kind.code for kind in tree}) == len(tree)


@pytest.mark.parametrize("error", EVERY_ERROR, ids=lambda error: error.code)
def test_an_error_says_something_and_has_a_status(error: errors.RuntimeGraphError) -> None:
    assert error.detail and error.title
    assert 400 <= error.status < 600
    assert str(error) == error.detail


def test_what_a_caller_needs_to_go_on_is_in_the_members() -> None:
    assert errors.HeadMoved(7).members() == {"head": 7}
    refused = errors.BudgetTooSmall(120, "1 pins", ["uid"])
    assert refused.members() == {"needed_tokens": 120, "what": "1 pins", "pin_uids": ["uid"]}
    assert errors.IdTaken("events[0].call_id").members() == {"location": "events[0].call_id"}
    assert errors.OutcomeUnknown().outcome == "unknown"
    assert errors.Unavailable().outcome == "not_committed"


def test_uids_are_of_version_7_and_in_order_of_time() -> None:
    uids = [new_uid() for _ in range(100)]
    assert {UUID(uid).version for uid in uids} == {7}
    assert sorted(uids) == uids


def test_branch_refs_never_repeat_grow_and_fit_a_json_number() -> None:
    refs = [new_branch_ref() for _ in range(MANY)]
    assert len(set(refs)) == MANY
    assert sorted(refs) == refs
    assert refs[0] > 0 and refs[-1] <= BRANCH_REF_MAX
    assert float(refs[-1]) == refs[-1], "a reader that has only doubles keeps it exactly"


def test_clocks_give_aware_utc() -> None:
    assert SystemClock()().tzinfo is UTC
    berlin = datetime(2026, 3, 1, 13, tzinfo=timezone(timedelta(hours=1)))
    clock = FixedClock(berlin)
    assert clock() == clock() == berlin
    assert clock().tzinfo is UTC
    clock.advance(timedelta(minutes=5))
    assert clock() - berlin == timedelta(minutes=5)


def test_a_clock_needs_an_aware_time() -> None:
    with pytest.raises(ValueError, match="aware"):
        FixedClock(datetime(2026, 3, 1))  # noqa: DTZ001
