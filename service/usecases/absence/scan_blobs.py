"""Search blobs as they lie in the store, and opened with the keys that are still there."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable

from service.usecases.absence.findings import BLOBS, Findings
from service.usecases.absence.needles import Needles

Opened = Callable[[str, bytes], bytes | None]
"""Path and stored bytes to what they say, or None where no key opens them."""


async def scan_blobs(needles: Needles, stored: AsyncIterable[tuple[str, bytes]], opened: Opened) -> Findings:
    """Search blobs, given as path and stored bytes, and their paths; what no key opens as it lies."""
    found = Findings(needles)
    async for path, data in stored:
        found.searched[BLOBS] += 1
        plain = opened(path, data)
        matched: set[int] = set()
        for one in (path, data, plain):
            matched |= needles.in_values.found_in(one) if one is not None else set()
        for needle in sorted(matched):
            found.add(BLOBS, path, None, needle)
    return found
