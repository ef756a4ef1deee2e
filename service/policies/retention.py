"""What becomes of a record when its time is over: kept, offloaded, archived, redacted, hashed or deleted.

Pure. A hold stops everything, and so does a restriction. What is still referred to (by an open claim, a
checkpoint, an assembly) stays readable where it is: of the actions only offloading leaves it so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from service.model.configuration import RetentionRule
from service.model.vocabulary import Label, RetentionAction

READABLE = (RetentionAction.KEEP, RetentionAction.OFFLOAD)
"""Actions after which a record is read as before."""
DESTROYING: Final = (RetentionAction.REDACT, RetentionAction.HASH, RetentionAction.DELETE)
"""Actions after which its text is no more."""


class Cause(StrEnum):
    """Why a record gets its action."""

    NO_RULE = "no_rule"
    HELD = "held"
    RESTRICTED = "restricted"
    KEPT_BY_RULE = "kept_by_rule"
    NOT_DUE = "not_due"
    DONE = "done"
    OPEN = "open"
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
    restricted: bool = False
    """Whether it names somebody who is restricted, or is being erased."""
    open: bool = False
    """Whether it waits for its result."""
    retained_as: RetentionAction | None = None
    """What was done to it already."""
    has_text: bool = True
    has_bytes: bool = True
    """Whether it holds bytes that a blob could hold for it."""


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
    if record.restricted:
        return _kept(Cause.RESTRICTED)
    if rule.after_days is None:
        return _kept(Cause.KEPT_BY_RULE)
    if now - record.recorded_at < timedelta(days=rule.after_days):
        return _kept(Cause.NOT_DUE)
    if _is_done(record, rule.action):
        return _kept(Cause.DONE)
    if record.open:
        return _kept(Cause.OPEN)
    if record.referred_to and rule.action not in READABLE:
        return _kept(Cause.REFERRED_TO)
    return Decision(rule.action, Cause.DUE)


def _is_done(record: Retained, action: RetentionAction) -> bool:
    """Whether nothing is left for the action to do: a text that is gone can be neither kept nor hashed."""
    if action is RetentionAction.DELETE:
        return False
    if action is RetentionAction.OFFLOAD:
        return not record.has_bytes
    if action is RetentionAction.ARCHIVE:
        return record.retained_as is not None or not record.has_text
    return record.retained_as in DESTROYING or not record.has_text


def _kept(cause: Cause) -> Decision:
    return Decision(RetentionAction.KEEP, cause)
