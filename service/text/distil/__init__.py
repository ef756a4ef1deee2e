"""Turn a tool result into a compact memory, without a language model: the same input always gives the same
notes.

A *headline* names the tool, its arguments, the outcome and the shape of what was found; *records* are
single lines, each naming the field of every value, in the order of the result. Identifiers, scalars,
amounts, dates, states, names, paths, errors and counts are kept; long texts and long lists are cut, and the
cut is stated. The exact bytes are one pointer away (`@<seq>`, which service.text.notes adds).
"""

from __future__ import annotations

from dataclasses import dataclass

from service.model.candidates import ARROW
from service.model.vocabulary import CallStatus
from service.text.distil.arguments import argument_text, scalar_arguments
from service.text.distil.identity import record_identity
from service.text.distil.limits import confidence, limits
from service.text.distil.lines import note_lines
from service.text.distil.plain import note_text
from service.text.distil.reading import NOT_DATA, read
from service.text.distil.values import Notes, one_line, unicode_text

HEADLINE_CHARS_MAX = 700
RECORDS_MAX = 64

_OUTCOMES = {
    CallStatus.FAILED: " failed",
    CallStatus.PENDING: " pending, no result yet",
    CallStatus.DEFERRED: " deferred, no result yet",
    CallStatus.CANCELLED: " cancelled",
}


@dataclass(frozen=True, slots=True)
class Distillate:
    """What is kept of one tool result. Every string is one line without leading or trailing blanks."""

    headline: str
    records: tuple[str, ...]
    record_key: str | None
    """What the result is about, as `noun=value` or as the call's canonical arguments; None: nothing
    nameable."""
    record_fields: tuple[str, ...]
    """The result's own top-level field names but its identity; service.policies.supersession compares
    them."""
    confidence: float
    """How sure it is that the notes say what the result says, from 0 to 1."""
    confidence_reason: str
    limits: tuple[str, ...]
    """What the notes leave out."""


def distil(
    tool_name: str, arguments: str, result: str | None, status: CallStatus, error: str | None = None
) -> Distillate:
    """The notes of one call.

    `arguments` and `result` are texts of any size, as recorded: JSON where the tool speaks it. `result` is
    None when there is none (yet). Never raises for any text; the output is at most RECORDS_MAX lines.
    """
    called = read(arguments)
    found = NOT_DATA if result is None else read(result)
    echoed = scalar_arguments(called)
    if found is not NOT_DATA:
        notes = note_lines(found, echoed)
    elif result is None:
        notes = Notes("", ())
    else:
        notes = note_text(result, tool_name)
    headline = (
        f"{one_line(tool_name, 80)}({argument_text(called, arguments, found)}){_OUTCOMES.get(status, '')}"
    )
    if error:
        headline += f": {one_line(error, 300)}"
    if notes.summary:
        headline += f"{ARROW}{notes.summary}"
    headline = unicode_text(one_line(headline, HEADLINE_CHARS_MAX))
    key, fields = record_identity(tool_name, called, found)
    sure, why = confidence(found, result, error)
    left_out = limits(found, (headline, *notes.records), RECORDS_MAX + 1, key is not None)
    return Distillate(
        headline,
        tuple(map(unicode_text, notes.records[:RECORDS_MAX])),
        None if key is None else unicode_text(key),
        tuple(map(unicode_text, fields)),
        sure,
        why,
        tuple(map(unicode_text, left_out)),
    )
