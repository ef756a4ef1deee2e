"""Days that a text tells as still to come, in English and German: `will take place on 3 March 2020`."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date

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
