"""Who may see an item: its owner's seat, the branch, the conversation, or auditors only."""

from __future__ import annotations

from service.model.candidates import Governance
from service.model.verdict import KEEP, Reason, Verdict
from service.model.vocabulary import Visibility

PRIVATE = Verdict(False, Reason.PRIVATE_TO_OTHER)
AUDIT = Verdict(False, Reason.AUDIT_ONLY)


def judge(item: Governance, asker_uid: str) -> Verdict:
    """Gate one item for the asking participant. An unknown visibility is treated as audit-only."""
    match item.visibility:
        case Visibility.BRANCH | Visibility.CONVERSATION:
            return KEEP
        case Visibility.PARTICIPANT:
            owns = item.participant_uid == asker_uid or asker_uid in item.shared_with
            return KEEP if owns else PRIVATE
        case _:
            return AUDIT
