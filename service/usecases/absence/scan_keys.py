"""Search the data keys, and what they sealed, for erased people: whatever the bytes say."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from typing import Any, Final

from service.usecases.absence.findings import BLOBS, Findings
from service.usecases.absence.needles import Needles

KEYS: Final = "data_keys"
KeysOf = Callable[[str], Collection[Any]]
"""A pseudonym to the data keys of that person, alone or with others."""
CountDead = Callable[[str], Awaitable[int]]
"""A pseudonym to how many blobs there are that may be of that person and of which the key was destroyed."""


async def scan_keys(
    needles: Needles, erased: Collection[str], keys_of: KeysOf, count_dead: CountDead
) -> Findings:
    """No data key may be one of an erased person, and no blob may be left of which the key was destroyed."""
    found = Findings(needles)
    for uid in erased:
        for _ in keys_of(uid):
            found.add(KEYS, "a data key of an erased person")
        for _ in range(await count_dead(uid)):
            found.add(BLOBS, "a blob whose key was destroyed")
    return found
