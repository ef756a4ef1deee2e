"""A memory says how it was read and what it leaves out, in counts that are true."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.model.vocabulary import CallStatus
from service.text.distil import Distillate, distil
from service.text.distil.limits import LIMITS_MAX


def noted(result: Any, error: str | None = None, arguments: str = '{"key": "7"}') -> Distillate:
    text = result if result is None or isinstance(result, str) else json.dumps(result)
    return distil("list_orders", arguments, text, CallStatus.EXECUTED, error)


@pytest.mark.parametrize(
    ("result", "error", "confidence", "reason"),
    [
        ({"state": "open"}, None, 1.0, "parsed data"),
        ("All is well.", None, 0.8, "plain text"),
        (None, "timed out", 0.6, "error text"),
        (None, None, 0.5, "no result"),
    ],
)
def test_confidence_follows_from_how_a_result_could_be_read(
    result: Any, error: str | None, confidence: float, reason: str
) -> None:
    made = noted(result, error)
    assert (made.confidence, made.confidence_reason) == (confidence, reason)


def test_a_short_result_leaves_nothing_out() -> None:
    assert noted({"order_id": "7", "state": "open"}).limits == ()


def test_rows_that_are_not_kept_are_counted() -> None:
    rows = [{"order_id": str(n), "state": f"state {n}"} for n in range(212)]
    assert noted(rows).limits == ("40 of 212 rows kept",)
    assert "40 of 212 rows of orders kept" in noted({"orders": rows}).limits


def test_a_long_list_of_numbers_is_told_by_its_range() -> None:
    assert noted({"key": "7", "prices": list(range(2000))}).limits == (
        "2,000 numbers of prices told by their range",
    )


def test_lines_and_long_values_that_are_cut_are_counted() -> None:
    log = "\n".join(f"line {n} of the log" for n in range(100))
    assert noted(log).limits == ("68 lines cut",)
    assert noted([{"a": "x" * 900}, {"a": "y" * 900}, {"a": "z"}]).limits == ("2 long values cut",)


def test_what_names_no_record_says_that_nothing_supersedes_it() -> None:
    assert noted("All is well.", arguments="not an object").limits == (
        "names no record, so that nothing supersedes it",
    )


def test_a_result_that_talks_of_cuts_breaks_nothing() -> None:
    assert noted("… ,,, lines cut … and … 9,,9 lines cut …").limits == ("99 lines cut",)
    assert len(noted({f"f{n}": [*range(100), str(n)] for n in range(30)}).limits) <= LIMITS_MAX
