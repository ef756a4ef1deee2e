"""How a memory ages: out, flagged, or as good as new."""

from __future__ import annotations

from datetime import datetime

from service.model.candidates import MemoryCandidate
from service.model.verdict import KEEP, Reason, Verdict
from service.model.vocabulary import Freshness

FLAGGED_STALE = Verdict(True, note="stale")


def judge(memory: MemoryCandidate, now: datetime) -> Verdict:
    """Gate one memory at `now`.

    Volatile: out once stale. Time-limited: flagged once stale, out after twice that age. Session, durable
    and permanent memories do not age by the clock; a session's end is an event. Without `stale_after`
    nothing is stale.
    """
    if memory.stale_after is None or now < memory.stale_after:
        return KEEP
    match memory.freshness:
        case Freshness.VOLATILE:
            return Verdict(False, Reason.STALE_VOLATILE)
        case Freshness.TIME_LIMITED:
            late, age = now - memory.stale_after, memory.stale_after - memory.observed_at
            return Verdict(False, Reason.EXPIRED) if late >= age else FLAGGED_STALE
        case _:
            return KEEP
