"""How a memory ages: out, flagged, or as good as new."""

from __future__ import annotations

from datetime import datetime

from service.model.candidates import MemoryCandidate
from service.model.verdict import KEEP, Reason, Verdict
from service.model.vocabulary import Freshness

FLAGGED_STALE = Verdict(True, note="stale")
REPAIR_ATTEMPTS_MAX = 3
"""After so many vain attempts to read its source, a memory counts as stale."""


def judge(memory: MemoryCandidate, now: datetime) -> Verdict:
    """Gate one memory at `now`.

    Volatile: out once stale. Time-limited: flagged once stale, out after twice that age. Session, durable
    and permanent memories do not age by the clock; a session's end is an event. Without `stale_after`
    nothing is stale, except a memory whose source could not be read again and again.
    """
    sourced = FLAGGED_STALE if source_lost(memory) else KEEP
    if memory.stale_after is None or now < memory.stale_after:
        return sourced
    match memory.freshness:
        case Freshness.VOLATILE:
            return Verdict(False, Reason.STALE_VOLATILE)
        case Freshness.TIME_LIMITED:
            late, age = now - memory.stale_after, memory.stale_after - memory.observed_at
            return Verdict(False, Reason.EXPIRED) if late >= age else FLAGGED_STALE
        case _:
            return sourced


def source_lost(memory: MemoryCandidate) -> bool:
    """Whether a memory's exact result is given up: nothing is read for it by itself any more."""
    return memory.repair_attempts >= REPAIR_ATTEMPTS_MAX
