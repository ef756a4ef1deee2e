"""The arguments of a call, as they stand in a headline."""

from __future__ import annotations

from typing import Any

from service.text.distil.values import brief, is_container, name_text, one_line, scalar_text, shape

ARGUMENT_CHARS_MAX = 120
ARGUMENTS_CHARS_MAX = 360


def argument_text(called: Any, raw: str, found: Any) -> str:
    """`name=value, name=value`, each value and the whole cut to a stated length.

    A structure that the result `found` has a field for is shown there: here only its shape.
    """
    if not isinstance(called, dict):
        return one_line(raw, ARGUMENT_CHARS_MAX) if raw.strip() not in ("", "null") else ""
    shown: list[str] = []
    used = 0
    for at, (name, value) in enumerate(called.items()):
        shown_there = isinstance(found, dict) and name in found and is_container(value)
        text = f"{name_text(name)}={shape(value) if shown_there else brief(value, ARGUMENT_CHARS_MAX)}"
        if used + len(text) > ARGUMENTS_CHARS_MAX:
            shown.append(f"+{len(called) - at} more")
            break
        shown.append(text)
        used += len(text)
    return ", ".join(shown)


def scalar_arguments(called: Any) -> dict[str, str]:
    """Arguments that the headline shows whole: what a result merely echoes need not be said twice."""
    if not isinstance(called, dict):
        return {}
    texts = {name: scalar_text(value) for name, value in called.items() if not isinstance(value, dict | list)}
    return {name: text for name, text in texts.items() if len(text) <= ARGUMENT_CHARS_MAX}
