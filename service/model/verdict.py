"""What policies answer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """Why an item stayed out. `POLICY_OF` names the one policy that gives each, `SENTENCES` says it."""

    PARALLEL_TURN = "parallel_turn"
    ISOLATED_FROM_SUBAGENT = "isolated_from_subagent"
    AFTER_CHECKPOINT = "after_checkpoint"
    PRIVATE_TO_OTHER = "private_to_other"
    AUDIT_ONLY = "audit_only"
    PRIVACY_CLASS_BARRED = "privacy_class_barred"
    NOT_PROMOTED = "not_promoted"
    STALE_VOLATILE = "stale_volatile"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    SHOWN_WHOLE = "shown_whole"
    TOO_LARGE_TO_REHYDRATE = "too_large_to_rehydrate"
    RAW_NOT_RELEASED = "raw_not_released"
    RULES_FROM_CONFIGURATION = "rules_from_configuration"
    OVER_BUDGET = "over_budget"
    WORTH_TOO_LITTLE = "worth_too_little"
    BEYOND_CANDIDATES = "beyond_candidates"
    NOT_IN_LINEAGE = "not_in_lineage"
    RECORDED_LATER = "recorded_later"


POLICY_OF = {
    Reason.PARALLEL_TURN: "attribution",
    Reason.ISOLATED_FROM_SUBAGENT: "attribution",
    Reason.AFTER_CHECKPOINT: "attribution",
    Reason.PRIVATE_TO_OTHER: "visibility",
    Reason.AUDIT_ONLY: "visibility",
    Reason.PRIVACY_CLASS_BARRED: "privacy",
    Reason.NOT_PROMOTED: "promotion",
    Reason.STALE_VOLATILE: "freshness",
    Reason.EXPIRED: "freshness",
    Reason.SUPERSEDED: "supersession",
    Reason.SHOWN_WHOLE: "packing",
    Reason.TOO_LARGE_TO_REHYDRATE: "rehydration",
    Reason.RAW_NOT_RELEASED: "rehydration",
    Reason.RULES_FROM_CONFIGURATION: "attribution",
    Reason.OVER_BUDGET: "packing",
    Reason.WORTH_TOO_LITTLE: "packing",
    Reason.BEYOND_CANDIDATES: "packing",
    Reason.NOT_IN_LINEAGE: "attribution",
    Reason.RECORDED_LATER: "attribution",
}

SENTENCES = {
    Reason.PARALLEL_TURN: "Another model answered in the same turn; it is seen in later turns.",
    Reason.ISOLATED_FROM_SUBAGENT: "A subagent sees what is its own or was shared with it.",
    Reason.AFTER_CHECKPOINT: "A continuation sees the branch as it stood at its checkpoint.",
    Reason.PRIVATE_TO_OTHER: "It belongs to another participant, who has not shared it.",
    Reason.AUDIT_ONLY: "It is kept for auditors and enters no context.",
    Reason.PRIVACY_CLASS_BARRED: "Its privacy class may not go to this provider.",
    Reason.NOT_PROMOTED: "The configuration keeps results of its tool out of memory.",
    Reason.STALE_VOLATILE: "It changes quickly and its time is over: ask the tool again.",
    Reason.EXPIRED: "It was a snapshot and is now twice as old as it may be.",
    Reason.SUPERSEDED: "A newer result about the same record stands for it.",
    Reason.TOO_LARGE_TO_REHYDRATE: "Its exact bytes were wanted and are more than enter at once.",
    Reason.RAW_NOT_RELEASED: "Its memory was released by a subagent, its exact bytes were not.",
    Reason.SHOWN_WHOLE: "The exact result is in the current exchange, so its memory is not repeated.",
    Reason.RULES_FROM_CONFIGURATION: "System messages are kept for the record; the rules are configuration.",
    Reason.OVER_BUDGET: "It ranked below what filled the budget.",
    Reason.WORTH_TOO_LITTLE: "It is worth too little for the room it takes in a budget of this size.",
    Reason.BEYOND_CANDIDATES: "It is older than the newest items that one assembly considers.",
    Reason.NOT_IN_LINEAGE: "It is on another branch, which this one does not inherit.",
    Reason.RECORDED_LATER: "It was recorded after this assembly.",
}

CHANGES = {
    Reason.PARALLEL_TURN: "The user's next message.",
    Reason.ISOLATED_FROM_SUBAGENT: "Its owner shares it with the subagent.",
    Reason.AFTER_CHECKPOINT: "A newer checkpoint, or a release to the continuing participant.",
    Reason.PRIVATE_TO_OTHER: "Its owner shares it with the asking participant.",
    Reason.AUDIT_ONLY: "Nothing: auditors read it through the log.",
    Reason.PRIVACY_CLASS_BARRED: "A provider route that promises enough for its class.",
    Reason.NOT_PROMOTED: "A configuration that promotes its tool; its artifact can be rehydrated as it is.",
    Reason.STALE_VOLATILE: "A new call of its tool.",
    Reason.EXPIRED: "A new call of its tool.",
    Reason.SUPERSEDED: "Nothing: the newer result is the current one.",
    Reason.RAW_NOT_RELEASED: "Its owner shares the result itself.",
    Reason.TOO_LARGE_TO_REHYDRATE: "Ask for a part of it: POST /v1/artifacts/{id}/rehydrate.",
    Reason.SHOWN_WHOLE: "Nothing: its exact result was in the context.",
    Reason.RULES_FROM_CONFIGURATION: "The tenant's platform rules or persona say it.",
    Reason.OVER_BUDGET: "A larger budget, or a request that names it.",
    Reason.WORTH_TOO_LITTLE: "A request that names it, a larger budget, or a less thrifty profile.",
    Reason.BEYOND_CANDIDATES: "A pin, or a compaction that carries it.",
    Reason.NOT_IN_LINEAGE: "Visibility `conversation`, or an assembly on its own branch.",
    Reason.RECORDED_LATER: "A newer assembly.",
}
"""What would have to be different for an item to enter, by reason."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A gate's answer about one item."""

    keep: bool
    reason: Reason | None = None
    note: str | None = None


KEEP = Verdict(True)
