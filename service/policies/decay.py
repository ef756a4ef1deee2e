"""How an edge of the knowledge graph ages, and what ratings make of it."""

from __future__ import annotations

import math
from datetime import datetime

FLOOR = 0.1
"""No edge that was ever made counts less."""
RATED_MIN = 0.25
RATED_MAX = 8.0
DAY_S = 86_400


def decayed(initial_weight: float, strengthened_at: datetime, at: datetime, half_life_days: float) -> float:
    """The weight at a moment, from the initial one alone: half for every half-life, never below FLOOR."""
    age_days = max(0.0, (at - strengthened_at).total_seconds() / DAY_S)
    return max(FLOOR, initial_weight * math.exp(-math.log(2) / half_life_days * age_days))


def rated(ups: int, downs: int) -> float:
    """The initial weight of an answer: 1 without ratings, twice for each up, half for each down, bounded."""
    exponent = max(-64, min(64, ups - downs))
    return min(RATED_MAX, max(RATED_MIN, 2.0**exponent))


def is_good(initial_weight: float) -> bool:
    """Whether an answer counts as one: it was not rated down more often than up."""
    return initial_weight >= 1
