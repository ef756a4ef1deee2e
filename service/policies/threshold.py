"""The confidence below which answers are captured: it follows what reviewers decide, between bounds.

Approving says that the answer was right. Where nearly all captured answers are, good ones are being captured,
and the threshold falls; where many are not, there are more of them above it, and it rises.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.model.configuration import LearningSettings

DECISIONS_MIN = 10
"""Decisions under one threshold that it takes to move it."""
DECISIONS_MAX = 50
"""The newest ones; older decisions do not count."""
STEP = 0.02
NEARLY_ALL = 0.9
"""Share of approvals from which on the threshold falls."""
MANY = 0.5
"""Share of approvals up to which the threshold rises."""
DIGITS = 4


@dataclass(frozen=True, slots=True)
class Decided:
    """One approval or rejection: the threshold that was in force, and the configured one it came from."""

    approved: bool
    threshold: float
    start: float


def in_force(settings: LearningSettings, newest: Sequence[Decided]) -> float:
    """The threshold that holds after these decisions, newest first. Tuning begins anew when the configured
    threshold is another."""
    if not settings.tunes_itself or not newest or newest[0].start != settings.threshold:
        return settings.threshold
    current = newest[0].threshold
    approvals = []
    for one in newest[:DECISIONS_MAX]:
        if (one.threshold, one.start) != (current, settings.threshold):
            break
        approvals.append(one.approved)
    return moved(settings, current, approvals)


def moved(settings: LearningSettings, current: float, approvals: Sequence[bool]) -> float:
    """The threshold after so many decisions under `current`: a step down, a step up, or the same."""
    step = 0.0
    if len(approvals) >= DECISIONS_MIN:
        share = sum(approvals) / len(approvals)
        step = -STEP if share >= NEARLY_ALL else STEP if share <= MANY else 0.0
    return round(min(max(current + step, settings.threshold_min), settings.threshold_max), DIGITS)
