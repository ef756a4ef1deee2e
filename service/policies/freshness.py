"""How a memory ages: out, flagged, or as good as new."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from service.model.candidates import MemoryCandidate
from service.model.policy_settings import PolicySettings, ToolSettings
from service.model.verdict import KEEP, Reason, Verdict
from service.model.vocabulary import Freshness
from service.policies.classification import DEFAULT_FRESHNESS

FLAGGED_STALE = Verdict(stale=True)


def aged(memory: MemoryCandidate, settings: ToolSettings) -> MemoryCandidate:
    """The memory with what its tool's settings say of its age, where its event left that open."""
    freshness, stale_after = memory.freshness, memory.stale_after
    if settings.freshness is not None and freshness is DEFAULT_FRESHNESS:
        freshness = settings.freshness
    if settings.stale_after_minutes is not None and stale_after is None:
        stale_after = _later(memory.observed_at, settings.stale_after_minutes)
    if (freshness, stale_after) == (memory.freshness, memory.stale_after):
        return memory
    return replace(memory, freshness=freshness, stale_after=stale_after)


def judge(memory: MemoryCandidate, now: datetime, settings: PolicySettings) -> Verdict:
    """Gate one memory at `now`.

    Volatile: out once stale. Time-limited: flagged once stale, out after twice that age. Session, durable
    and permanent memories do not age by the clock; a session's end is an event. Without `stale_after`
    nothing is stale, except a memory whose source could not be read again and again.
    """
    sourced = FLAGGED_STALE if source_lost(memory, settings) else KEEP
    if memory.stale_after is None or now < memory.stale_after:
        return sourced
    match memory.freshness:
        case Freshness.VOLATILE:
            return Verdict(Reason.STALE_VOLATILE)
        case Freshness.TIME_LIMITED:
            late, age = now - memory.stale_after, memory.stale_after - memory.observed_at
            return Verdict(Reason.EXPIRED) if late >= age else FLAGGED_STALE
        case _:
            return sourced


def source_lost(memory: MemoryCandidate, settings: PolicySettings) -> bool:
    """Whether a memory's exact result is given up: nothing is read for it by itself any more."""
    return memory.repair_attempts >= settings.repair_attempts_max


def _later(observed_at: datetime, minutes: int) -> datetime | None:
    try:
        return observed_at + timedelta(minutes=minutes)
    except OverflowError:  # a platform's clock may say any year
        return None
