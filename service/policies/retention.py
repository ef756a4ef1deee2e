"""What becomes of a record when its time is over: kept, offloaded, archived, redacted, hashed or deleted.

Pure, and called by nothing that writes: no record is touched by it yet. A hold stops everything. What is
still referred to (by an open claim, a checkpoint, an assembly) stays readable where it is: of the actions
only offloading leaves it so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from service.model.configuration import RetentionRule
from service.model.vocabulary import Label, RetentionAction

READABLE = (RetentionAction.KEEP, RetentionAction.OFFLOAD)
"""Actions after which a record is read as before."""


class Cause(StrEnum):
    """Why a record gets its action."""

    NO_RULE = "no_rule"
    HELD = "held"
    KEPT_BY_RULE = "kept_by_rule"
    NOT_DUE = "not_due"
    REFERRED_TO = "referred_to"
    DUE = "due"


@dataclass(frozen=True, slots=True)
class Retained:
    """A record as retention sees it."""

    label: Label
    recorded_at: datetime
    held: bool = False
    """Whether a legal hold covers it."""
    referred_to: bool = False
    """Whether an open claim, a checkpoint or an assembly that is kept refers to it."""


@dataclass(frozen=True, slots=True)
class Decision:
    """An action with its cause."""

    action: RetentionAction
    cause: Cause


def decide(record: Retained, rules: Mapping[Label, RetentionRule], now: datetime) -> Decision:
    """What becomes of a record at `now` (aware UTC). Without a rule for its label it is kept."""
    rule = rules.get(record.label)
    if rule is None:
        return _kept(Cause.NO_RULE)
    if record.held:
        return _kept(Cause.HELD)
    if rule.after_days is None:
        return _kept(Cause.KEPT_BY_RULE)
    if now - record.recorded_at < timedelta(days=rule.after_days):
        return _kept(Cause.NOT_DUE)
    if record.referred_to and rule.action not in READABLE:
        return _kept(Cause.REFERRED_TO)
    return Decision(rule.action, Cause.DUE)


def _kept(cause: Cause) -> Decision:
    return Decision(RetentionAction.KEEP, cause)
