"""What policies answer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """Why an item stayed out. One owner each: the policy named in `OWNER`; one sentence in docs/reasons.md."""

    NOT_IN_LINEAGE = "not_in_lineage"
    PRIVATE_TO_OTHER = "private_to_other"
    AUDIT_ONLY = "audit_only"
    PRIVACY_CLASS_BARRED = "privacy_class_barred"
    SUPERSEDED = "superseded"
    STALE_VOLATILE = "stale_volatile"
    SESSION_ENDED = "session_ended"
    EXPIRED = "expired"
    OVER_BUDGET = "over_budget"
    BEYOND_CANDIDATES = "beyond_candidates"
    REPRESENTED_BY_MEMORY = "represented_by_memory"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A gate's answer about one item."""

    keep: bool
    reason: Reason | None = None
    note: str | None = None


KEEP = Verdict(True)
