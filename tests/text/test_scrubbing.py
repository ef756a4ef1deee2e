"""Personal data leaves a text, and nothing else does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.text.scrubbing import scrub

FOUND = {
    "mia.keller+trip@mail.example.org": "[email]",
    "ø.berg@næring.no": "[email]",
    "DE89 3704 0044 0532 0130 00": "[iban]",
    "DE89370400440532013000": "[iban]",
    "gb29 nwbk 6016 1331 9268 19": "[iban]",
    "NO93 8601 1117 947": "[iban]",
    "4111 1111 1111 1111": "[card]",
    "5500-0000-0000-0004": "[card]",
    "378282246310005": "[card]",
    "192.168.17.4": "[ip_address]",
    "2001:db8::8a2e:370:7334": "[ip_address]",
    "756.9217.0769.85": "[national_id]",
    "86095742719": "[national_id]",
    "86 095 742 719": "[national_id]",
    "1237 010180": "[national_id]",
    "12345678Z": "[national_id]",
    "X1234567L": "[national_id]",
    "RSSMRA85T10A562S": "[national_id]",
    "255081416802538": "[national_id]",
    "078-05-1120": "[national_id]",
    "+49 151 23456789": "[phone]",
    "+1 (555) 010-9999": "[phone]",
    "0041 44 668 18 00": "[phone]",
    "089/1234567": "[phone]",
    "015123456789": "[phone]",
}
KEPT = [
    "I fly on 2026-05-04 at 10:45, seat 12A, gate B22.",
    "Flight HAT268 costs 1.234,50 EUR or 1,234.50 USD for 2 adults.",
    "NO92 8601 1117 947 is no account",  # wrong check digits
    "4111 1111 1111 1112 is no card",
    "12345678A is no DNI",
    "756.9217.0769.84 is none",
    "Version 3.11.7, build 10.5.2, ISBN 978-3-16-148410-0x",
    "Order 998877 of 12/2025, SKU 4711-0815",
    "a@b, @handle, 300.300.300.300 and 12:30:45",
    "The year 2001, the budget 20000, and 1 000 000 of them",
    "Mira and Mialand are not Mia's",
]
NAMES = ("Mia Keller", "Bo")
quiet = st.text(st.sampled_from("abcxyz äöüß,.;:!?\n\t()日本«»"), max_size=40)
"""Text in which nothing looks like personal data."""


@pytest.mark.parametrize(("told", "shown"), FOUND.items())
def test_what_is_personal_is_named_by_its_kind_and_the_rest_stays(told: str, shown: str) -> None:
    assert scrub(told) == shown
    assert scrub(f"Write to {told}, please: ({told})!") == f"Write to {shown}, please: ({shown})!"


@pytest.mark.parametrize("text", KEPT)
def test_what_only_looks_like_it_stays(text: str) -> None:
    assert scrub(text) == text


def test_names_that_are_known_are_taken_out_as_whole_words() -> None:
    text = "MIA KELLER here. Mia's trip with Bo, not Mialand; keller is a cellar."
    told = "[name] here. [name]'s trip with Bo, not Mialand; keller is a cellar."
    assert scrub(text, NAMES) == told
    assert scrub(told, (*NAMES, "name", "email")) == told


@given(st.text(), st.lists(st.text(max_size=12), max_size=3))
def test_a_scrubbed_text_stays_as_it_is(text: str, names: list[str]) -> None:
    once = scrub(text, names)
    assert scrub(once, names) == once


@given(st.lists(st.tuples(quiet, st.sampled_from(sorted(FOUND))), max_size=5), quiet)
def test_no_detector_changes_the_rest_of_a_text(pieces: list[tuple[str, str]], end: str) -> None:
    text = "".join(f"{before} | {told} | " for before, told in pieces) + end
    expected = "".join(f"{before} | {FOUND[told]} | " for before, told in pieces) + end
    assert scrub(text) == expected


@given(st.text(st.characters(categories=["L", "Zs", "Po"], exclude_characters="@.:/"), max_size=200))
def test_words_without_digits_and_addresses_are_never_touched(text: str) -> None:
    assert scrub(text) == text
