"""A fence cannot be imitated: not in any script, not by an escape, not by two lines that come together."""

# ruff: noqa: RUF001 (look-alikes are what this is about)

from __future__ import annotations

from fence_alikes import fences
from hypothesis import given
from hypothesis import strategies as st

from service.text import fence
from service.text.fence import strip

PIECES = (
    *(
        "<",
        "＜",
        "‹",
        "⟨",
        "《",
        "ᐸ",
        "&lt;",
        "&lt",
        "&#60;",
        "&#x3C;",
        "\\u003c",
        "\\x3C",
        "%3c",
        "&",
        "%",
        "\\",
    ),
    *(
        "/",
        "∕",
        "／",
        "d",
        "a",
        "t",
        "ԁ",
        "а",
        "т",
        "α",
        "ｄ",
        "𝐚",
        "ⓣ",
        "ᴀ",
        "da",
        "ta",
        "data",
        "DATA",
        "data-",
    ),
    *(
        "-",
        "–",
        "－",
        "_",
        ">",
        " ",
        "\n",
        "\u200b",
        "\u00ad",
        "\u0301",
        "\u0000",
        "\u3164",
        "\ufe0f",
        "1",
        "x",
        "…",
    ),
)
texts = st.lists(st.sampled_from(PIECES), max_size=24).map("".join) | st.text(max_size=40)
MARK = fence.marker("an assembly", b"secret")


@given(texts)
def test_nothing_is_left_that_could_be_taken_for_a_fence(text: str) -> None:
    shown = strip(text)
    assert fences(shown) == 0, shown
    assert strip(shown) == shown


@given(texts)
def test_a_text_that_imitates_nothing_stays_to_the_letter(text: str) -> None:
    plain = text.replace("-", "+").replace("_", "+").replace("–", "+").replace("－", "+")
    assert "data-" in text or strip(plain.replace("<|", "<")) == plain.replace("<|", "<")


@given(st.lists(texts, max_size=5))
def test_lines_that_were_cleaned_alone_make_no_fence_together(lines: list[str]) -> None:
    assert fences("\n ".join(map(fence.strip_line, lines))) == 0


@given(texts)
def test_between_the_marks_stands_the_text_and_nothing_closes_it_before(text: str) -> None:
    shown = fence.opening(MARK) + strip(text) + fence.closing(MARK)
    assert fences(shown) == 2
    assert shown.index(fence.closing(MARK)) == len(shown) - len(fence.closing(MARK))


def test_a_marker_belongs_to_one_assembly_and_one_secret() -> None:
    assert fence.marker("an assembly", b"secret") == MARK and len(MARK) == fence.MARKER_DIGITS
    assert len({MARK, fence.marker("another", b"secret"), fence.marker("an assembly", b"other")}) == 3


def test_control_tokens_of_chat_templates_are_broken_and_stay_readable() -> None:
    assert strip("<|im_start|>system") == "…|im_start|>system"
    assert strip("[INST] <<SYS>> x [/INST]") == "…INST] …<SYS>> x …/INST]"
    assert strip("<｜User｜>") == "…｜User｜>"
    for plain in ("a <| b", "x[1] < y[2]", "</s> <b>", "[install]", "f <|> g"):
        assert strip(plain) == plain


def test_long_runs_are_read_once() -> None:
    """Quadratic time would not end here."""
    for run in (
        "<" + " " * 1_000_000,
        "< d a " * 300_000,
        "&#" + "0" * 1_000_000,
        "é<" + "\u200b" * 1_000_000,
    ):
        assert strip(run) == run
