"""What policies answer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Reason(StrEnum):
    """Why an item stayed out. `REASONS` says more of each."""

    PARALLEL_TURN = "parallel_turn"
    ISOLATED_FROM_SUBAGENT = "isolated_from_subagent"
    AFTER_CHECKPOINT = "after_checkpoint"
    FOR_ANOTHER_AGENT = "for_another_agent"
    PRIVATE_TO_OTHER = "private_to_other"
    AUDIT_ONLY = "audit_only"
    PRIVACY_CLASS_BARRED = "privacy_class_barred"
    NOT_PROMOTED = "not_promoted"
    SWITCHED_OFF = "switched_off"
    STALE_VOLATILE = "stale_volatile"
    EXPIRED = "expired"
    RETRACTED = "retracted"
    NOT_YET_VALID = "not_yet_valid"
    SUPERSEDED = "superseded"
    SHOWN_WHOLE = "shown_whole"
    TOO_LARGE_TO_REHYDRATE = "too_large_to_rehydrate"
    RAW_NOT_RELEASED = "raw_not_released"
    NO_QUESTION = "no_question"
    NO_MATCH = "no_match"
    KNOWLEDGE_TOO_SMALL = "knowledge_too_small"
    ASKED_BY_TOO_FEW = "asked_by_too_few"
    RULES_FROM_CONFIGURATION = "rules_from_configuration"
    OVER_BUDGET = "over_budget"
    WORTH_TOO_LITTLE = "worth_too_little"
    COMPACTED = "compacted"
    NOT_FOUND = "not_found"
    BEYOND_CANDIDATES = "beyond_candidates"
    NOT_IN_LINEAGE = "not_in_lineage"
    RECORDED_LATER = "recorded_later"


class Explained(NamedTuple):
    """A reason, as callers read it."""

    policy: str
    """The one policy that gives it, of service.policies.ORDER."""
    sentence: str
    change: str
    """What would have to be different for the item to enter."""


REASONS: dict[Reason, Explained] = {
    Reason.PARALLEL_TURN: Explained(
        "attribution",
        "Another model answered in the same turn; it is seen in later turns.",
        "The user's next message.",
    ),
    Reason.ISOLATED_FROM_SUBAGENT: Explained(
        "attribution",
        "A subagent sees what is its own or was shared with it.",
        "Its owner shares it with the subagent.",
    ),
    Reason.AFTER_CHECKPOINT: Explained(
        "attribution",
        "A continuation sees the branch as it stood at its checkpoint.",
        "A newer checkpoint, or a release to the continuing participant.",
    ),
    Reason.FOR_ANOTHER_AGENT: Explained(
        "attribution",
        "It was stated for the contexts of another agent alone.",
        "A memory that names no agent, or this one.",
    ),
    Reason.PRIVATE_TO_OTHER: Explained(
        "visibility",
        "It belongs to another participant, who has not shared it.",
        "Its owner shares it with the asking participant.",
    ),
    Reason.AUDIT_ONLY: Explained(
        "visibility",
        "It is kept for auditors and enters no context.",
        "Nothing: auditors read it through the log.",
    ),
    Reason.PRIVACY_CLASS_BARRED: Explained(
        "privacy",
        "Its privacy class may not go to this provider.",
        "A provider route that promises enough for its class.",
    ),
    Reason.NOT_PROMOTED: Explained(
        "promotion",
        "The configuration keeps results of its tool out of memory.",
        "A configuration that promotes its tool; its artifact can be rehydrated as it is.",
    ),
    Reason.SWITCHED_OFF: Explained(
        "promotion",
        "The configuration of its agent keeps no working memory.",
        "A configuration in which the agent's working memory is enabled.",
    ),
    Reason.STALE_VOLATILE: Explained(
        "freshness",
        "It changes quickly and its time is over: ask the tool again.",
        "A new call of its tool.",
    ),
    Reason.EXPIRED: Explained(
        "freshness",
        "Its time is over: a snapshot twice as old as it may be, or a user memory past its validity.",
        "A new call of its tool, or a newer memory.",
    ),
    Reason.RETRACTED: Explained(
        "validity",
        "It was retracted.",
        "A newer memory that states it again.",
    ),
    Reason.NOT_YET_VALID: Explained(
        "validity",
        "It begins to hold later.",
        "An assembly after it has begun.",
    ),
    Reason.SUPERSEDED: Explained(
        "supersession",
        "A newer one about the same stands for it.",
        "Nothing: the newer one is current.",
    ),
    Reason.SHOWN_WHOLE: Explained(
        "packing",
        "The exact result is in the current exchange, so its memory is not repeated.",
        "Nothing: its exact result was in the context.",
    ),
    Reason.TOO_LARGE_TO_REHYDRATE: Explained(
        "rehydration",
        "Its exact bytes were wanted and are more than enter at once.",
        "Ask for a part of it: POST /v1/artifacts/{id}/rehydrate.",
    ),
    Reason.RAW_NOT_RELEASED: Explained(
        "rehydration",
        "Its memory was released by a subagent, its exact bytes were not.",
        "Its owner shares the result itself.",
    ),
    Reason.NO_QUESTION: Explained(
        "knowledge",
        "The request asks no question, so knowledge was not looked for.",
        "A request that says `question`, or that is put as a question.",
    ),
    Reason.NO_MATCH: Explained(
        "knowledge",
        "It meets the question neither by words nor by meaning, or its document was not published then.",
        "A question that names what the document does, or the document published.",
    ),
    Reason.KNOWLEDGE_TOO_SMALL: Explained(
        "insights",
        "The tenant's knowledge graph is off, or has fewer nodes than insights need.",
        "A configuration with `knowledge` on and a smaller `insights_min_nodes`, or more to learn from.",
    ),
    Reason.ASKED_BY_TOO_FEW: Explained(
        "insights",
        "Fewer users have asked for it than an insight needs.",
        "A configuration with a smaller `insight_users_min`, or more users who ask.",
    ),
    Reason.RULES_FROM_CONFIGURATION: Explained(
        "attribution",
        "System messages are kept for the record; the rules are configuration.",
        "The tenant's platform rules or persona say it.",
    ),
    Reason.OVER_BUDGET: Explained(
        "packing",
        "It ranked below what filled the budget.",
        "A larger budget, or a request that names it.",
    ),
    Reason.WORTH_TOO_LITTLE: Explained(
        "packing",
        "The next call hardly needs it, and the profile keeps a context of this budget lean.",
        "A request that names it, a larger budget, or a profile with less thrift (`thorough` has none).",
    ),
    Reason.COMPACTED: Explained(
        "packing",
        "A compaction covers it: the summary stands for it, and it was not recalled.",
        "A larger budget, a request that names it, or a pin; a line of the summary leads to it.",
    ),
    Reason.NOT_FOUND: Explained(
        "ranking",
        "It is older talk, and the search for what the request is about found other messages nearer.",
        "A request that names what it says, or a larger `top_k` or `message_range`; a pin.",
    ),
    Reason.BEYOND_CANDIDATES: Explained(
        "packing",
        "It is older than the newest items that one assembly considers.",
        "A pin, or a compaction that carries it.",
    ),
    Reason.NOT_IN_LINEAGE: Explained(
        "attribution",
        "It is on another branch, which this one does not inherit.",
        "A merge, visibility `conversation`, or an assembly on its own branch.",
    ),
    Reason.RECORDED_LATER: Explained(
        "attribution",
        "It was recorded after this assembly.",
        "A newer assembly.",
    ),
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """A gate's answer about one item: the reason that keeps it out, or None; what stays may be flagged."""

    reason: Reason | None = None
    stale: bool = False

    @property
    def keep(self) -> bool:
        """Whether the item may enter."""
        return self.reason is None


KEEP = Verdict()
