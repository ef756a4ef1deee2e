"""Who may see an item: its owner's seat, the branch, the conversation, or auditors only."""

from __future__ import annotations

from service.model.candidates import Governance
from service.model.verdict import KEEP, Reason, Verdict
from service.model.vocabulary import Visibility

PRIVATE = Verdict(Reason.PRIVATE_TO_OTHER)
AUDIT = Verdict(Reason.AUDIT_ONLY)


def judge(item: Governance, asker_uid: str, released: bool = False) -> Verdict:
    """Gate one item for the asking participant; `released` says that its owner's end released it to them.

    An unknown visibility is treated as audit-only.
    """
    match item.visibility:
        case Visibility.BRANCH | Visibility.CONVERSATION:
            return KEEP
        case Visibility.PARTICIPANT:
            shared = released or asker_uid in item.shared_with
            return KEEP if shared or item.participant_uid == asker_uid else PRIVATE
        case _:
            return AUDIT
