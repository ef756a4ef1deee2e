"""Days that a text names, in English and German, and those that it tells as still to come."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta

SPANS_MAX = 16
_NAMES = (
    *("january januar jänner", "february februar", "march märz", "april", "may mai", "june juni"),
    *("july juli", "august", "september", "october oktober", "november", "december dezember"),
)
MONTHS = {name: number for number, names in enumerate(_NAMES, start=1) for name in names.split()}
_MONTH = "|".join(MONTHS)
_DAY = re.compile(
    rf"""\b(?:
      (?P<year>\d{{4}})-(?P<month>\d\d)-(?P<day>\d\d)
    | (?P<day_2>\d\d?)\.\ ?(?P<month_2>\d\d?)\.\ ?(?P<year_2>\d{{4}})
    | (?P<day_3>\d\d?)(?:st|nd|rd|th|\.)?\ (?:of\ )?(?P<month_3>{_MONTH}),?\ (?P<year_3>\d{{4}})
    | (?P<month_4>{_MONTH})\ (?P<day_4>\d\d?)(?:st|nd|rd|th)?,?\ (?P<year_4>\d{{4}})
    | (?P<month_5>{_MONTH})\ (?P<year_5>\d{{4}})
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\n")
_TO_COME = re.compile(
    r"\b(?:will|shall|going to|upcoming|scheduled|takes place|is due|are due|opens|starts|begins"
    r"|wird|werden|werde|findet|kommende[nrms]?|bevorstehende[nrms]?|geplant|beginnt|startet)\b|'ll\b",
    re.IGNORECASE,
)
_PLACED = re.compile(
    r"\b(?:on|by|until|till|from|in|for|starting|am|bis|ab|im|zum|vom|den|starts|begins|opens|beginnt|startet)\s+(?:the\s+|zum\s+)?$|^\W*$",
    re.IGNORECASE,
)
"""What stands before a day on which something is to happen; `the invoice of …` names a thing by its day."""
_MARK = "\x00"
_LAST_WEEK, _LAST_MONTH = (
    re.compile(r"\b(?:last|letzte[nr]?) (?:week|woche)\b"),
    re.compile(r"\b(?:last|letzte[nr]?) (?:month|monat)\b"),
)
_AGO = {"today": 0, "heute": 0, "yesterday": 1, "gestern": 1, "vorgestern": 2}
_DAYS_AGO = re.compile(rf"\b(?:{'|'.join(_AGO)})\b")


def named(text: str, today: date) -> list[tuple[date, date]]:
    """The spans of days that a text names, each by its first and last: a day, a month of a year; and as seen
    from `today` that day, yesterday, last week or last month. At most SPANS_MAX."""
    spans: list[tuple[date, date]] = []
    for found in _DAY.finditer(text):
        last = _day(found)
        if last is not None:
            whole_month = not any(found.group(name) for name in ("day", "day_2", "day_3", "day_4"))
            spans.append((last.replace(day=1) if whole_month else last, last))
    lower = text.lower()
    spans += [(day, day) for word in _DAYS_AGO.findall(lower) for day in (today - timedelta(_AGO[word]),)]
    if _LAST_WEEK.search(lower):
        monday = today - timedelta(today.weekday() + 7)
        spans.append((monday, monday + timedelta(6)))
    if _LAST_MONTH.search(lower):
        end = today.replace(day=1) - timedelta(1)
        spans.append((end.replace(day=1), end))
    return spans[:SPANS_MAX]


def told_as_future(text: str) -> list[date]:
    """The days, in order, that stand as a time in a sentence about what is to come. A month without a day
    counts by its last one; what is no day of the calendar is left out."""
    days: list[date | None] = []

    def mark(found: re.Match[str]) -> str:
        days.append(_day(found))
        return _MARK

    found: list[date] = []
    remaining = iter(days)
    for sentence in _SENTENCE_END.split(_DAY.sub(mark, text.replace(_MARK, " "))):
        pieces = sentence.split(_MARK)
        to_come = _TO_COME.search(sentence) is not None
        for before, day in zip(pieces[:-1], remaining, strict=False):
            if day is not None and to_come and _PLACED.search(before):
                found.append(day)
    return found


def _day(found: re.Match[str]) -> date | None:
    parts = {name.partition("_")[0]: part for name, part in found.groupdict().items() if part is not None}
    year, named = int(parts["year"]), parts["month"].lower()
    month = MONTHS[named] if named in MONTHS else int(named)
    try:
        return date(year, month, int(parts["day"]) if "day" in parts else monthrange(year, month)[1])
    except ValueError:
        return None
