"""What reviewers may do to a learning candidate, by the state in which it is."""

from __future__ import annotations

from service.model.vocabulary import ReviewAction, ReviewState

_PENDING = (ReviewState.OPEN, ReviewState.ASSIGNED, ReviewState.REOPENED)
_DECIDED = (ReviewState.APPROVED, ReviewState.REJECTED)
MOVES = {
    ReviewAction.ASSIGN: (_PENDING, ReviewState.ASSIGNED),
    ReviewAction.APPROVE: (_PENDING, ReviewState.APPROVED),
    ReviewAction.REJECT: (_PENDING, ReviewState.REJECTED),
    ReviewAction.REOPEN: (_DECIDED, ReviewState.REOPENED),
}
"""From which states an action leads to which."""


def after(state: ReviewState, action: ReviewAction) -> ReviewState | None:
    """The state after the action; None where it is not allowed in this one."""
    sources, target = MOVES[action]
    return target if state in sources else None
