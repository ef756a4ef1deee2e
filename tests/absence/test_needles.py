"""A needle is found in every spelling in which a store may hold it, and nowhere else."""

from __future__ import annotations

import json
import secrets
import unicodedata
from itertools import pairwise
from urllib.parse import quote

import pytest

from service.usecases.absence.needles import FRAGMENT_BYTES, Needles, NoNeedleError

SAID = 'Zoë said "no"\nto\tRémy\\'
BLOCK_BYTES = 120


@pytest.mark.parametrize(
    "stored",
    [
        SAID,
        f"…{SAID}…",
        json.dumps({"text": SAID}),
        json.dumps({"text": SAID}, ensure_ascii=False),
        json.dumps({"body": json.dumps({"text": SAID})}),
        json.dumps({"body": json.dumps({"text": SAID}, ensure_ascii=False)}),
        unicodedata.normalize("NFD", SAID),
        quote(SAID),
    ],
)
def test_a_value_that_holds_it_in_any_spelling_is_found(stored: str) -> None:
    needles = Needles.of(texts=["somebody else", SAID])
    assert needles.in_values.found_in(stored) == {1}
    assert needles.in_values.found_in(stored.replace("R", "B").replace("%0A", "%0B")) == set()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "latin-1"])
def test_a_file_that_holds_it_in_any_encoding_is_found(encoding: str) -> None:
    needles = Needles.of(texts=[SAID])
    assert needles.in_files.found_in(b"\x00\x01" + SAID.encode(encoding) + b"\xff")


@pytest.mark.parametrize("length", [2 * FRAGMENT_BYTES, 77, 120, 121, 1_000])
def test_a_long_one_is_found_wherever_blocks_cut_it(length: int) -> None:
    canary = secrets.token_hex(length)[:length]
    needles = Needles.of(texts=[canary])
    for first in range(1, BLOCK_BYTES):
        cuts = [0, *range(first, length, BLOCK_BYTES), length]
        blocks = [canary[start:end].encode() for start, end in pairwise(cuts)]
        assert needles.in_files.found_in(b"\x00header\x00".join(reversed(blocks))), (length, first)


def test_a_short_one_counts_only_as_a_whole_value_or_in_quotes() -> None:
    needles = Needles.of(texts=["u-7"])
    for stored in ("u-7", json.dumps({"user": "u-7"}), json.dumps({"body": json.dumps({"user": "u-7"})})):
        assert needles.in_values.found_in(stored) == {0}, stored
    assert needles.in_values.found_in("bus u-7 goes") == set()


def test_an_id_is_not_found_in_a_longer_id_of_somebody_else() -> None:
    needles = Needles.of(ids=["user-12"], texts=["blue-12"])
    assert needles.in_values.found_in('["user-12", "x"]') == {0}
    assert needles.in_values.found_in("user-123 superuser-12") == set()
    assert needles.in_values.found_in("user-123 user-12") == {0}
    assert needles.in_values.found_in("blue-123") == {1}


def test_a_name_is_found_in_any_case_when_asked_for() -> None:
    assert Needles.of(texts=["Mia Brown"], any_case=True).in_values.found_in("MIA BROWN, mia brown") == {0}
    assert Needles.of(texts=["Mia Brown"]).in_values.found_in("MIA BROWN, mia brown") == set()


def test_nothing_to_search_for_is_refused_and_no_needle_shows_itself() -> None:
    for texts in ([], ["found", " "]):
        with pytest.raises(NoNeedleError) as refused:
            Needles.of(texts=texts)
        assert "found" not in str(refused.value)
    assert "secret" not in repr(Needles.of(texts=["secret"]))


def test_those_that_are_left_keep_what_they_are() -> None:
    needles = Needles.of(ids=["aaaaaa", "bbbbbb"], texts=["cccccc"]).without({0})
    assert needles == Needles.of(ids=["bbbbbb"], texts=["cccccc"])
