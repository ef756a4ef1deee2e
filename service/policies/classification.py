"""What class an item gets when it is recorded: the kind's default, which a caller may only tighten."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from service.model.vocabulary import (
    Freshness,
    ParticipantKind,
    PrivacyClass,
    Visibility,
)

_VISIBILITY = {
    Visibility.CONVERSATION: 0,
    Visibility.BRANCH: 1,
    Visibility.PARTICIPANT: 2,
    Visibility.AUDIT: 3,
}


def message_privacy(author: ParticipantKind, asked: PrivacyClass | None) -> PrivacyClass:
    """People's words are personal, all others internal, unless the caller asks for more."""
    default = PrivacyClass.PERSONAL if author is ParticipantKind.HUMAN else PrivacyClass.INTERNAL
    return PrivacyClass.strictest(default, asked or default)


def tool_privacy(asked: PrivacyClass | None, call: PrivacyClass | None = None) -> PrivacyClass:
    """A tool's data is internal and never milder than its call, unless the caller asks for more."""
    internal = PrivacyClass.INTERNAL
    return PrivacyClass.strictest(internal, asked or internal, call or internal)


def message_visibility(asked: Visibility | None, author: ParticipantKind, shared: bool) -> Visibility:
    """What is said is said to the branch, unless it is said to named participants or by a subagent."""
    private = shared or author is ParticipantKind.SUBAGENT
    return asked or (Visibility.PARTICIPANT if private else Visibility.BRANCH)


def memory_visibility(asked: Visibility | None, sources: Iterable[Visibility]) -> Visibility:
    """What is known of a person is for all conversations of that person, unless it was said in private."""
    private = (one for one in sources if one in (Visibility.PARTICIPANT, Visibility.AUDIT))
    return reduce(narrowest, private, asked or Visibility.CONVERSATION)


def memory_privacy(asked: PrivacyClass | None, sources: Iterable[PrivacyClass]) -> PrivacyClass:
    """What is known of a person is personal, and never milder than where it was said."""
    return PrivacyClass.strictest(PrivacyClass.PERSONAL, asked or PrivacyClass.PERSONAL, *sources)


def branch_visibility(asked: Visibility | None) -> Visibility:
    """Pins hold for everybody on the branch unless the caller narrows or widens them."""
    return asked or Visibility.BRANCH


def runtime_visibility(asked: Visibility | None) -> Visibility:
    """Runs, calls, artifacts and memories belong to their participant unless the caller shares them."""
    return asked or Visibility.PARTICIPANT


def narrowest(first: Visibility, second: Visibility | None) -> Visibility:
    """The tighter of an item's visibility and what is asked for what hangs on it."""
    return first if second is None else max(first, second, key=_VISIBILITY.__getitem__)


DEFAULT_FRESHNESS = Freshness.TIME_LIMITED
"""A result whose caller says nothing of its age: a snapshot, flagged once a `stale_after` is known and
past."""
