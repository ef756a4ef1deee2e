"""By when a request is to be answered, by the calendar."""

from __future__ import annotations

from calendar import monthrange
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from service.model.configuration import TenantConfiguration
from service.model.privacy_settings import Calendar, Weekday
from service.policies.deadlines import due_at, is_working_day

EVERY_DAY = Calendar(weekend=[])
BERLIN = Calendar(country="DE", subdivision="BE", time_zone="Europe/Berlin")
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Pacific/Auckland", "Asia/Kolkata", "Africa/Cairo")


def noon(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day, 12, tzinfo=UTC)


def due_on(received: datetime, calendar: Calendar = EVERY_DAY, *, extended: bool = False) -> str:
    """The day on which it is due, where the calendar is."""
    due = due_at(received, calendar, extended=extended)
    assert due.tzinfo is UTC
    local = due.astimezone(ZoneInfo(calendar.time_zone))
    assert (local + timedelta(microseconds=1)).date() == local.date() + timedelta(days=1), "a day's last tick"
    return local.date().isoformat()


@pytest.mark.parametrize("year", [2023, 2024, 2028, 2100, 2400])
@pytest.mark.parametrize("month", [1, 3, 5, 7, 8, 10, 12])
def test_a_31st_is_due_on_the_last_day_of_a_shorter_month(year: int, month: int) -> None:
    following = date(year + month // 12, month % 12 + 1, 1)
    last = monthrange(following.year, following.month)[1]
    assert due_on(noon(year, month, 31)) == following.replace(day=min(31, last)).isoformat()


@pytest.mark.parametrize(
    ("received", "due"),
    [
        (noon(2024, 1, 31), "2024-02-29"),
        (noon(2024, 1, 29), "2024-02-29"),
        (noon(2023, 1, 29), "2023-02-28"),
        (noon(2028, 1, 30), "2028-02-29"),
        (noon(2100, 1, 31), "2100-02-28"),
        (noon(2024, 2, 29), "2024-03-29"),
        (noon(2026, 12, 15), "2027-01-15"),
    ],
)
def test_leap_years_and_the_turn_of_a_year(received: datetime, due: str) -> None:
    assert due_on(received) == due


@pytest.mark.parametrize(
    ("received", "due"),
    [
        (noon(2026, 1, 31), "2026-04-30"),
        (noon(2023, 11, 30), "2024-02-29"),
        (noon(2026, 10, 1), "2027-01-01"),
    ],
)
def test_an_extended_one_has_three_months_from_receipt(received: datetime, due: str) -> None:
    assert due_on(received, extended=True) == due


@pytest.mark.parametrize(
    ("received", "calendar", "due"),
    [
        (noon(2026, 1, 14), Calendar(), "2026-02-16"),
        (noon(2026, 1, 15), Calendar(), "2026-02-16"),
        (noon(2026, 1, 13), Calendar(), "2026-02-13"),
        (noon(2026, 1, 13), Calendar(weekend=[Weekday.FRIDAY, Weekday.SATURDAY]), "2026-02-15"),
        (noon(2026, 1, 13), Calendar(extra_dates=["2026-02-13", "2026-02-16"]), "2026-02-17"),
    ],
    ids=[
        "a Saturday",
        "a Sunday",
        "a Friday",
        "a Friday in a weekend",
        "days off before and after a weekend",
    ],
)
def test_a_day_on_which_nobody_works_rolls_on(received: datetime, calendar: Calendar, due: str) -> None:
    assert due_on(received, calendar) == due


@pytest.mark.parametrize(
    ("calendar", "due"),
    [
        (Calendar(), "2026-12-25"),
        (Calendar(country="DE"), "2026-12-28"),
        (Calendar(country="US"), "2026-12-28"),
        (Calendar(country="GB", subdivision="ENG"), "2026-12-29"),
        (Calendar(country="JP"), "2026-12-25"),
    ],
    ids=["nowhere", "Germany", "USA", "England, Boxing Day on the Monday", "Japan, no holiday"],
)
def test_christmas_is_a_holiday_by_country(calendar: Calendar, due: str) -> None:
    """The 25th of December 2026 is a Friday."""
    assert due_on(noon(2026, 11, 25), calendar) == due


def test_a_subdivision_has_holidays_of_its_own() -> None:
    epiphany = noon(2025, 12, 6)
    assert due_on(epiphany, Calendar(country="DE", subdivision="BE")) == "2026-01-06"
    assert due_on(epiphany, Calendar(country="DE", subdivision="BY")) == "2026-01-07"


@pytest.mark.parametrize(
    ("received", "due"),
    [
        (datetime(2026, 2, 27, 12, tzinfo=UTC), datetime(2026, 3, 27, 22, 59, 59, 999999, UTC)),
        (datetime(2026, 3, 30, 12, tzinfo=UTC), datetime(2026, 4, 30, 21, 59, 59, 999999, UTC)),
        (datetime(2026, 9, 28, 22, 30, tzinfo=UTC), datetime(2026, 10, 29, 22, 59, 59, 999999, UTC)),
    ],
    ids=["winter", "summer", "received after midnight in Berlin, due in winter"],
)
def test_a_day_ends_where_the_calendar_is(received: datetime, due: datetime) -> None:
    assert due_at(received, BERLIN) == due


def test_two_working_days_at_least_are_in_a_period() -> None:
    days_off = [(date(2026, 3, 2) + timedelta(days=number)).isoformat() for number in range(30)]
    assert due_on(noon(2026, 3, 1), Calendar(weekend=[], extra_dates=days_off)) == "2026-04-02"


TIMES = st.integers(0, 32_000_000).map(lambda minutes: noon(2050, 1, 1) + timedelta(minutes=minutes))
CALENDARS = st.builds(
    Calendar,
    country=st.sampled_from([None, "DE", "FR", "ES", "IT", "CH", "AT", "US", "IL", "JP"]),
    extra_dates=st.lists(st.dates(date(2020, 1, 1), date(2110, 1, 1)).map(date.isoformat), max_size=20),
    weekend=st.lists(st.sampled_from(Weekday), max_size=5, unique=True),
    time_zone=st.sampled_from(ZONES),
)


@given(TIMES, CALENDARS, st.booleans())
def test_a_deadline_is_a_working_day_and_a_month_away_at_least(
    received: datetime, calendar: Calendar, extended: bool
) -> None:
    zone = ZoneInfo(calendar.time_zone)
    begun, due = (
        received.astimezone(zone).date(),
        date.fromisoformat(due_on(received, calendar, extended=extended)),
    )
    assert is_working_day(due, calendar)
    passed = (due.year - begun.year) * 12 + due.month - begun.month
    least = 3 if extended else 1
    is_month_end = due.day == monthrange(due.year, due.month)[1]
    assert passed > least or (passed == least and (due.day >= begun.day or is_month_end))
    days = [begun + timedelta(days=number) for number in range(1, (due - begun).days + 1)]
    assert sum(is_working_day(day, calendar) for day in days) >= 2


def test_a_later_receipt_is_never_due_earlier() -> None:
    days = [noon(2026, 1, 1) + timedelta(days=number) for number in range(800)]
    dues = [due_at(day, BERLIN) for day in days]
    assert all(earlier <= later for earlier, later in pairwise(dues))


@pytest.mark.parametrize(
    "calendar",
    [
        {"country": "XX"},
        {"country": "de"},
        {"country": "DE", "subdivision": "ZZ"},
        {"subdivision": "BY"},
        {"time_zone": "Mars/Olympus"},
        {"time_zone": "../etc/passwd"},
        {"extra_dates": ["24.12.2026"]},
        {"extra_dates": ["20261224"]},
        {"weekend": ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]},
    ],
)
def test_a_calendar_that_cannot_be_is_refused(calendar: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        TenantConfiguration.model_validate({"privacy": {"calendar": calendar}})


def test_a_calendar_comes_from_a_configuration() -> None:
    given_ = {
        "country": "DE",
        "extra_dates": ["2026-12-24"],
        "weekend": ["sunday"],
        "time_zone": "Europe/Berlin",
    }
    settings = TenantConfiguration.model_validate({"privacy": {"calendar": given_, "tolerance": 0.05}})
    assert settings.privacy.calendar.weekend == [Weekday.SUNDAY]
    assert TenantConfiguration().privacy.tolerance == 0
