"""Counting tokens: offline, thread-safe, and never slow, whatever the text."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from service.text.tokens import UnknownEncoding, install_vocabularies, tokenizer

SECONDS_MAX = 5.0
"""Far above what any of these takes; quadratic merging would take minutes."""

PATHOLOGICAL = {
    "one letter": "a" * 400_000,
    "one blank": " " * 400_000,
    "newlines": "\n" * 400_000,
    "one sign": "!" * 400_000,
    "signs of two scripts": "!。" * 200_000,
    "Chinese without blanks": "汉语处理很有意思" * 50_000,
    "Hindi with marks": "नमस्ते" * 60_000,
    "base64": "QWxhZGRpbjpvcGVuIHNlc2FtZQ" * 15_000,
    "joined emoji": "👩‍👩‍👧‍👦" * 30_000,
    "long words": ("a" * 200 + " ") * 2_000,
}


@pytest.mark.parametrize("name", PATHOLOGICAL)
def test_a_pathological_text_is_counted_quickly(name: str) -> None:
    started = time.process_time()
    assert tokenizer().count(PATHOLOGICAL[name]) > 0
    assert time.process_time() - started < SECONDS_MAX


@pytest.mark.parametrize("encoding_name", ["o200k_base", "cl100k_base"])
def test_ordinary_text_has_the_encodings_own_count(encoding_name: str) -> None:
    counting = tokenizer(encoding_name)
    reference = tiktoken.get_encoding(encoding_name)
    rows = json.dumps([{"flight": f"HAT{number}", "price": number} for number in range(500)])
    for text in ("", "Hello, world!", "日本語のテキスト。", "def f(x):\n    return x\n\n\n", rows):
        assert counting.count(text) == len(reference.encode_ordinary(text))


def test_special_tokens_in_a_text_are_plain_text() -> None:
    assert tokenizer().count("<|endoftext|>") > 1


def test_a_lone_surrogate_is_counted_and_not_refused() -> None:
    assert tokenizer().count("before \ud800 after") > 0


def test_an_unknown_encoding_is_named_as_such() -> None:
    with pytest.raises(UnknownEncoding, match="o200k_base"):
        tokenizer("p50k_base")


@given(st.text(), st.text())
def test_two_lines_cost_what_they_cost_apart(first: str, second: str) -> None:
    """Costs are added up line by line; only a line that begins with a slash may merge with a newline."""
    line, other = f"x{first}".replace("\n", " "), f"x{second}".replace("\n", " ")
    counting = tokenizer()
    assert counting.count(f"{line}\n{other}\n") == counting.count(f"{line}\n") + counting.count(f"{other}\n")


def test_eight_threads_count_alike() -> None:
    texts = [f"line {number}: {'word ' * number}" for number in range(400)]
    counting = tokenizer()
    alone = [counting.count(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(counting.count, texts)) == alone


def test_a_damaged_vocabulary_is_written_anew(tmp_path: Path) -> None:
    names = sorted(place.name for place in install_vocabularies(tmp_path).iterdir())
    whole = {name: (tmp_path / name).read_bytes() for name in names}
    (tmp_path / names[0]).write_bytes(b"half of it")
    install_vocabularies(tmp_path)
    assert {place.name: place.read_bytes() for place in tmp_path.iterdir()} == whole
