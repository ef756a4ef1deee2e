"""What policies answer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """Why an item stayed out. `POLICY_OF` names the one policy that gives each, `SENTENCES` says it."""

    PRIVATE_TO_OTHER = "private_to_other"
    AUDIT_ONLY = "audit_only"
    PRIVACY_CLASS_BARRED = "privacy_class_barred"
    STALE_VOLATILE = "stale_volatile"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    SHOWN_WHOLE = "shown_whole"
    RULES_FROM_CONFIGURATION = "rules_from_configuration"
    OVER_BUDGET = "over_budget"


POLICY_OF = {
    Reason.PRIVATE_TO_OTHER: "visibility",
    Reason.AUDIT_ONLY: "visibility",
    Reason.PRIVACY_CLASS_BARRED: "privacy",
    Reason.STALE_VOLATILE: "freshness",
    Reason.EXPIRED: "freshness",
    Reason.SUPERSEDED: "supersession",
    Reason.SHOWN_WHOLE: "packing",
    Reason.RULES_FROM_CONFIGURATION: "attribution",
    Reason.OVER_BUDGET: "packing",
}

SENTENCES = {
    Reason.PRIVATE_TO_OTHER: "It belongs to another participant, who has not shared it.",
    Reason.AUDIT_ONLY: "It is kept for auditors and enters no context.",
    Reason.PRIVACY_CLASS_BARRED: "Its privacy class may not go to this provider.",
    Reason.STALE_VOLATILE: "It changes quickly and its time is over: ask the tool again.",
    Reason.EXPIRED: "It was a snapshot and is now twice as old as it may be.",
    Reason.SUPERSEDED: "A newer result about the same record stands for it.",
    Reason.SHOWN_WHOLE: "The exact result is in the current exchange, so its memory is not repeated.",
    Reason.RULES_FROM_CONFIGURATION: "System messages are kept for the record; the rules are configuration.",
    Reason.OVER_BUDGET: "It ranked below what filled the budget.",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """A gate's answer about one item."""

    keep: bool
    reason: Reason | None = None
    note: str | None = None


KEEP = Verdict(True)
