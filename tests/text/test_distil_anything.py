"""Whatever a tool answers, the notes are short lines, the same every time, and made in no time."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.model.vocabulary import CallStatus
from service.text.distil import HEADLINE_CHARS_MAX, RECORDS_MAX, Distillate, distil

LINE_CHARS_MAX = 2_000
"""Far above any line that is meant to be read."""
SECONDS_MAX = 5.0

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=400)
DATA = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=80), inner, max_size=12),
    max_leaves=60,
)
TEXTS = st.text(st.characters(), max_size=3_000) | st.sampled_from(
    [
        '{"half": [1, 2',
        "[('a', b'\\xff'), {1, 2}, 1j]",
        "[" * 5_000,
        "[" * 900 + "]" * 900,
        '{"a":' * 900 + "1" + "}" * 900,
        "(" * 500 + ")" * 500,
        "[" + "1" * 6_000 + "]",
        '{"n": NaN, "i": Infinity}',
        "[nan, 1e999]",
        "\ud800 half a pair",
        '{"\\ud800": "\\udfff"}',
        "{}",
        "[]",
        "   ",
        "",
    ]
)
NAMES = st.text(max_size=300)


@given(NAMES, DATA, DATA, st.sampled_from(CallStatus))
def test_any_data_becomes_short_lines(
    name: str, arguments: object, result: object, status: CallStatus
) -> None:
    check(distil(name, json.dumps(arguments), json.dumps(result), status))


@given(NAMES, TEXTS, TEXTS, TEXTS | st.none())
def test_any_text_becomes_short_lines(name: str, arguments: str, result: str, error: str | None) -> None:
    notes = distil(name, arguments, result, CallStatus.FAILED, error)
    check(notes)
    assert notes == distil(name, arguments, result, CallStatus.FAILED, error)


@given(st.lists(st.dictionaries(st.sampled_from("abcdefgh"), LEAVES, min_size=1), min_size=2, max_size=60))
@settings(max_examples=50)
def test_any_list_of_objects_becomes_short_lines(rows: list[dict[str, object]]) -> None:
    check(distil("list", "{}", json.dumps(rows), CallStatus.EXECUTED))


def check(notes: Distillate) -> None:
    """One-line strings within limits, without half characters."""
    assert len(notes.headline) <= HEADLINE_CHARS_MAX + 40
    assert len(notes.records) <= RECORDS_MAX
    for line in (notes.headline, *notes.records):
        assert "\n" not in line and "\r" not in line
        assert len(line) <= LINE_CHARS_MAX
        line.encode()
    for text in (notes.record_key or "", *notes.record_fields):
        text.encode()


LARGE = {
    "rows": json.dumps(
        [{"id": number, "name": f"item {number}", "tags": ["a", "b"]} for number in range(30_000)]
    ),
    "numbers": json.dumps(list(range(200_000))),
    "one long string": json.dumps({"content": "word " * 400_000}),
    "one long line": "word " * 400_000,
    "many lines": "a line of a log, number so and so\n" * 60_000,
    "base64": "QWxhZGRpbjpvcGVuIHNlc2FtZQ" * 80_000,
    "Chinese": "汉语处理很有意思。" * 200_000,
    "emoji": "👩‍👩‍👧‍👦" * 100_000,
    "Python rows": str([("name", number) for number in range(9_000)]),
    "deep": "[" * 100_000,
    "many fields": json.dumps({f"field_{number}": "x" * 40 for number in range(20_000)}),
}


@pytest.mark.parametrize("name", LARGE)
def test_a_result_of_megabytes_is_noted_quickly(name: str) -> None:
    started = time.process_time()
    check(distil("read", "{}", LARGE[name], CallStatus.EXECUTED))
    assert time.process_time() - started < SECONDS_MAX
