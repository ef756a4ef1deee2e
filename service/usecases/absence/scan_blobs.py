"""Search blobs as they lie in the store, and opened with the keys that are still there."""

from __future__ import annotations

from collections.abc import AsyncIterable

from service.usecases.absence.findings import BLOBS, Findings
from service.usecases.absence.needles import Needles


async def scan_blobs(needles: Needles, walked: AsyncIterable[tuple[str, bytes, bytes | None]]) -> Findings:
    """Search blobs, given as path, stored bytes and what these say, and their paths; what no key opens (None)
    as it lies."""
    found = Findings(needles)
    async for path, stored, opened in walked:
        found.searched[BLOBS] += 1
        matched: set[int] = set()
        for one in (path, stored, opened):
            matched |= needles.in_values.found_in(one) if one is not None else set()
        for needle in sorted(matched):
            found.add(BLOBS, path, None, needle)
    return found
