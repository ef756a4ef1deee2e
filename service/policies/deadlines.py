"""By when a person's request is to be answered: Regulation (EEC, Euratom) 1182/71.

A month ends with the day that has the number of the day of receipt, or the month's last where there is none
(Art. 3(2)(c)); a last day on which nobody works rolls on to the next working day (Art. 3(4)); at least two
working days lie in the period (Art. 3(5)).
"""

from __future__ import annotations

import calendar as months
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from itertools import count
from typing import Final
from zoneinfo import ZoneInfo

import holidays

from service.model.privacy_settings import Calendar, Weekday

MONTHS: Final = 1
EXTENDED_MONTHS: Final = 3
"""One, and two further ones."""
WORKING_DAYS_MIN: Final = 2
ROLL_DAYS_MAX: Final = 400
"""More days in a row than a calendar can have without a working day."""
DAY: Final = timedelta(days=1)
TICK: Final = timedelta(microseconds=1)


def due_at(received_at: datetime, calendar: Calendar, *, extended: bool = False) -> datetime:
    """The last microsecond, in UTC, in which the answer to a request received at an aware time is in time."""
    zone = ZoneInfo(calendar.time_zone)
    received_on = received_at.astimezone(zone).date()
    last = _last_day(received_on, EXTENDED_MONTHS if extended else MONTHS, calendar)
    return datetime.combine(last + DAY, time(), zone).astimezone(UTC) - TICK


def is_working_day(day: date, calendar: Calendar) -> bool:
    """Whether people work on a day."""
    if tuple(Weekday)[day.weekday()] in calendar.weekend or day.isoformat() in calendar.extra_dates:
        return False
    return calendar.country is None or day not in _holidays(calendar.country, calendar.subdivision)


def _last_day(received_on: date, period_months: int, calendar: Calendar) -> date:
    last = _months_later(received_on, period_months)
    between = (received_on + DAY * number for number in count(1))
    working = 0
    for day in between:
        working += is_working_day(day, calendar)
        is_enough = working >= WORKING_DAYS_MIN and is_working_day(day, calendar)
        if (day >= last and is_enough) or day - last > DAY * ROLL_DAYS_MAX:
            return day
    raise AssertionError("days do not end")


def _months_later(day: date, period_months: int) -> date:
    """The day of the same number, or the last one of that month."""
    year, month = divmod(day.year * 12 + day.month - 1 + period_months, 12)
    return date(year, month + 1, min(day.day, months.monthrange(year, month + 1)[1]))


@cache
def _holidays(country: str, subdivision: str | None) -> holidays.HolidayBase:
    """Worked out by rule, year by year as they are asked for."""
    return holidays.country_holidays(country, subdiv=subdivision)
