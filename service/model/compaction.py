"""What a compaction works on: items of a branch, and the lines that stand for them. Plain values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from service.model.vocabulary import LineKind, PrivacyClass, Visibility


@dataclass(frozen=True, slots=True, order=True)
class Audience:
    """Whose something is, who may see it and where it may go. What differs in this never shares a line."""

    participant_uid: str
    visibility: Visibility
    shared_with: tuple[str, ...]
    privacy_class: PrivacyClass


@dataclass(frozen=True, slots=True)
class SummarisedItem:
    """A message or a tool memory that a compaction is about to cover.

    `failed` is None for a message; `text` is what was said, or the memory's headline.
    """

    uid: str
    seq: int
    text: str
    failed: bool | None
    audience: Audience
    subject_uids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """A line that stands for `item_count` items between two seqs, all of one audience.

    It points at what it stands for: at items that were verbatim until now by `item_uids`, and at lines of the
    compaction before, whose pointers stay good, by `line_uids`. One that is taken over as it is has its
    `uid`, and no pointers of its own.
    """

    kind: LineKind
    text: str
    first_seq: int
    last_seq: int
    item_count: int
    audience: Audience
    subject_uids: tuple[str, ...]
    item_uids: tuple[str, ...] = ()
    line_uids: tuple[str, ...] = ()
    uid: str | None = None

    def changed(self, **fields: Any) -> SummaryLine:
        """Another line that stands for what this one does."""
        own = (self.uid,) if self.uid is not None else self.line_uids
        return replace(self, uid=None, line_uids=own, **fields)
