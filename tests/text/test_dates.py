"""Days that are told as still to come are found; days that only name a thing are not."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.text.dates import SPANS_MAX, named, told_as_future


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("The fair will take place on 3 March 2020.", date(2020, 3, 3)),
        ("The fair is going to be on the 3rd of March 2020", date(2020, 3, 3)),
        ("It opens March 5, 2021 at noon.", date(2021, 3, 5)),
        ("On 2020-03-03 we will open.", date(2020, 3, 3)),
        ("The upcoming fair is in May 2019!", date(2019, 5, 31)),
        ("Die Messe findet am 3. März 2020 statt.", date(2020, 3, 3)),
        ("Am 03.03.2020 wird geöffnet.", date(2020, 3, 3)),
    ],
)
def test_a_day_that_stands_as_the_time_of_what_is_to_come_is_found(text: str, day: date) -> None:
    assert told_as_future(text) == [day]


@pytest.mark.parametrize(
    "text",
    [
        "It was held on 3 March 2020. We will see.",
        "The invoice of 3 March 2020 will be paid.",
        "It will be on 31 February 2020.",
        "Nothing will be.",
        "!" * 100_000 + "x",
        "will be on " + " " * 100_000,
        "",
    ],
)
def test_a_day_of_the_past_told_as_such_a_name_and_no_day_at_all_are_not(text: str) -> None:
    assert told_as_future(text) == []


@given(st.text(alphabet=st.sampled_from("will on 0123456789-. MarchMärz\x00\n"), max_size=200))
def test_no_text_is_too_odd_to_be_read(text: str) -> None:
    told_as_future(text)


def test_the_days_that_a_question_names_are_spans() -> None:
    today = date(2026, 3, 4)  # a Wednesday
    assert named("What did I say on 3 March 2026?", today) == [(date(2026, 3, 3), date(2026, 3, 3))]
    assert named("And in February 2026, or gestern?", today) == [
        (date(2026, 2, 1), date(2026, 2, 28)),
        (date(2026, 3, 3), date(2026, 3, 3)),
    ]
    assert named("the plan of last week", today) == [(date(2026, 2, 23), date(2026, 3, 1))]
    assert named("the plan of last month", today) == [(date(2026, 2, 1), date(2026, 2, 28))]
    assert named("nothing about 31.02.2026 or times", today) == []
    assert len(named("2026-01-01 " * 100, today)) == SPANS_MAX
