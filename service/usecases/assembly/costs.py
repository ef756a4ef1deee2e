"""What planning asks of writing: what things cost when they are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from service.model.candidates import CallCandidate, LineCandidate, MemoryCandidate, MessageCandidate, Note
from service.model.vocabulary import Section
from service.policies.recheck import Hint
from service.usecases.assembly.exchange import Exchange


@dataclass(frozen=True, slots=True)
class Flags:
    """What is said of an item beside its text, by its uid."""

    elsewhere: frozenset[str] = frozenset()
    """What was said or found on other branches."""
    stale: frozenset[str] = frozenset()
    found: frozenset[str] = frozenset()
    """Messages that a search found."""
    conflicts: Mapping[str, int] = field(default_factory=dict)
    """Memories that another one contradicts, with the seq of that one."""


class Costs(Protocol):
    """What things cost at most when they are written, in tokens."""

    def fixed_tokens(self) -> int:
        """System text, framing and tool schemas."""
        ...

    def state_tokens(self, exchange: Exchange) -> int:
        """Pins, skills, working memory, checkpoint, open calls and failures, with their fences and
        headings."""
        ...

    def opens(self, section: Section) -> Mapping[str, int]:
        """What the first item of a section brings along, by name: a fence that sections share, a heading."""
        ...

    def opened(self, exchange: Exchange) -> frozenset[str]:
        """The names of what the exchange brings along already."""
        ...

    def call_tokens(self, call: CallCandidate) -> int:
        """An unseen call without its result, in any format."""
        ...

    def message_tokens(self, message: MessageCandidate, tokens_max: int) -> int:
        """A message with its speaker's label and framing, cut to `tokens_max` where it is longer."""
        ...

    def request_tokens(self, message: MessageCandidate, tokens_max: int) -> int:
        """The same for a message of the current exchange, which stays word for word."""
        ...

    def recalled_tokens(self, message: MessageCandidate, tokens_max: int, elsewhere: bool) -> int:
        """The same as a line among recalled messages."""
        ...

    def lead_tokens(self, message: MessageCandidate) -> int:
        """What stands before a recalled message, of which pieces enter by themselves."""
        ...

    def piece_tokens(self, piece: str) -> int:
        """One of these pieces, with the mark of a gap before it."""
        ...

    def headline_tokens(self, memory: MemoryCandidate, flags: Flags) -> int:
        """A memory's first line with its flags."""
        ...

    def exact_tokens(self, memory: MemoryCandidate) -> int:
        """A memory whose exact result stands in its place, without that result."""
        ...

    def hint_tokens(self, hint: Hint) -> int:
        """A recheck hint, as written."""
        ...

    def note_tokens(self, note: Note) -> int:
        """A note, as written."""
        ...

    def line_tokens(self, line: LineCandidate) -> int:
        """A line of a summary, as written."""
        ...
