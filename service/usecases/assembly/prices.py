"""What things cost when they are written: upper bounds that add up, so that what a plan lets in fits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from service.model.candidates import (
    CallCandidate,
    LineCandidate,
    MemoryCandidate,
    MessageCandidate,
    Note,
    Placed,
)
from service.model.vocabulary import Role, Section
from service.policies.attribution import presented
from service.policies.recheck import Hint
from service.text import fence, notes
from service.text.render import (
    CALL_TOKENS,
    MESSAGE_TOKENS,
    OPENING_TOKENS,
    REPLY_TOKENS,
    Format,
    arguments_text,
)
from service.text.summary import line_text
from service.text.tokens import Tokenizer
from service.usecases.assembly import state_notes
from service.usecases.assembly.costs import Flags
from service.usecases.assembly.exchange import Exchange
from service.usecases.assembly.request import Asked, Candidates
from service.usecases.assembly.sections import ItemRef, SectionText

HEADINGS = {
    Section.INSIGHTS: "What people ask here:\n",
    Section.PRODUCT_CONTEXT: "Products:\n",
    Section.KNOWLEDGE_PASSAGES: "Reviewed knowledge:\n",
    Section.USER_MEMORIES: "Known of the user:\n",
    Section.COMPACTED_HISTORY: "Summary of earlier turns:\n",
    Section.WORKING_MEMORY: "Working memory:\n",
    Section.TOOL_MEMORIES: "Earlier tool results:\n",
    Section.RECALLED_MESSAGES: "Earlier messages:\n",
    Section.RECOVERY: "Open or failed:\n",
}
STALE_FLAG = "[stale: check again before relying on it]"
UNREADABLE = "[its stored bytes cannot be read now; these are notes of it, check again]\n"
ELSEWHERE = "(other branch) "
EXACT = "exact result:\n"
FENCE, OPENING = "fence", "opening"
"""Names of what several sections share: the fence around earlier things, and what stands for the user where
an assistant would speak first."""
GAP_TOKENS = 2
"""What a piece may cost more than alone: a gap before it, or a blank that keeps its lines within one item."""
JOINT_TOKENS = 1
"""What two texts may cost more side by side than each alone."""


class Prices:
    """What things cost at most when they are written, in one assembly. `mark` is its fence's marker."""

    def __init__(self, asked: Asked, candidates: Candidates, tokenizer: Tokenizer, mark: str) -> None:
        self._asked = asked
        self._speakers = candidates.state.speakers
        self._asker_uid = candidates.scope.participant_uid
        self._tokenizer = tokenizer
        self._count = tokenizer.count
        self._mark = mark
        self._known: dict[str, int] = {}
        self._clean: dict[str, tuple[str, int]] = {}
        self._fence_tokens = self._count(self._fenced(""))

    def fixed_tokens(self) -> int:
        """System text, framing and tool schemas: what every context of this request costs."""
        system = self._count(joined(self._system()))
        return system + MESSAGE_TOKENS + REPLY_TOKENS + self._asked.tools_tokens

    def state_tokens(self, exchange: Exchange) -> int:
        """Pins, skills, working memory, checkpoint, open calls and failures, with their fences and
        headings."""
        total = 0
        state, recovery = self._state_lines(exchange), self._recovery_lines(exchange)
        if state or exchange.remembered():
            total += self._fence_tokens + MESSAGE_TOKENS
        if exchange.remembered():
            total += self._counted(HEADINGS[Section.TOOL_MEMORIES])
        if state:
            total += self._counted(HEADINGS[Section.WORKING_MEMORY])
        if recovery:
            total += self._fence_tokens + MESSAGE_TOKENS + self._counted(HEADINGS[Section.RECOVERY])
        if not (state or recovery or exchange.remembered()) and exchange.starts_with_call():
            total += OPENING_TOKENS
        return total + sum(item.tokens for item, _ in (*state, *recovery))

    def opens(self, section: Section) -> Mapping[str, int]:
        """What the first item of a section brings along, by name: a fence that sections share, a heading."""
        if section is Section.RECENT_WINDOW:
            return {OPENING: OPENING_TOKENS}
        return {FENCE: self._fence_tokens + MESSAGE_TOKENS, section.value: self._counted(HEADINGS[section])}

    def opened(self, exchange: Exchange) -> frozenset[str]:
        """The names of what the exchange brings along already."""
        names = {FENCE, OPENING} if exchange.state() or exchange.remembered() else set()
        return frozenset(names | ({Section.TOOL_MEMORIES.value} if exchange.remembered() else set()))

    def call_tokens(self, call: CallCandidate) -> int:
        """An unseen call without its result, in the format that takes most."""
        forms = {arguments_text(call.arguments_text(), shape) for shape in Format}
        return self._count(call.tool_name) + max(map(self._count, forms)) + 2 * MESSAGE_TOKENS + CALL_TOKENS

    def hint_tokens(self, hint: Hint) -> int:
        """A recheck hint, as written."""
        return self._count(state_notes.hint_line(hint))

    def note_tokens(self, note: Note) -> int:
        """A note, as written."""
        return self._counted(note_line(note))

    def line_tokens(self, line: LineCandidate) -> int:
        """A line of a summary, which was counted with somebody's name in it."""
        speaker = self._speakers.get(line.governance.participant_uid)
        return line.tokens + (self._counted(speaker.name) if speaker else 0) + JOINT_TOKENS

    def message_tokens(self, message: MessageCandidate, tokens_max: int) -> int:
        """A message with its speaker's label and framing, cut to `tokens_max` where it is longer."""
        _, tokens = self._harmless(message)
        return min(tokens, tokens_max) + self._label_tokens(message) + MESSAGE_TOKENS

    def request_tokens(self, message: MessageCandidate, tokens_max: int) -> int:
        """The same for a message of the current exchange, which stays word for word."""
        return min(message.tokens, tokens_max) + self._label_tokens(message) + MESSAGE_TOKENS

    def recalled_tokens(self, message: MessageCandidate, tokens_max: int, elsewhere: bool) -> int:
        """The same as a line of the recalled messages, with what stands before it."""
        mark = self._counted(ELSEWHERE) if elsewhere else 0
        text, tokens = self._harmless(message)
        return min(tokens + notes.breaks(text), tokens_max) + self.lead_tokens(message) + mark

    def lead_tokens(self, message: MessageCandidate) -> int:
        """What stands before a recalled message: its pointer, and who said it."""
        lead = self._counted(f"@ {self._said_by(message)}\n")
        return lead + notes.digit_tokens(message.place[0]) + JOINT_TOKENS

    def piece_tokens(self, piece: str) -> int:
        """A piece of a recalled message, with the mark of a gap before it."""
        return self._count(fence.strip(notes.within_one(piece))) + GAP_TOKENS

    def headline_tokens(self, memory: MemoryCandidate, flags: Flags) -> int:
        """A memory's first line with its flags."""
        marks = self._marks(memory, flags)
        before = self._counted(ELSEWHERE) if memory.uid in flags.elsewhere else 0
        return notes.headline_tokens(memory) + before + sum(self._counted(f" {mark}") for mark in marks)

    def exact_tokens(self, memory: MemoryCandidate) -> int:
        """A memory whose exact result stands in its place, without that result."""
        return notes.headline_tokens(memory) + self._counted(EXACT) + 2 * JOINT_TOKENS

    # -- texts that are priced and written

    def _system(self) -> list[SectionText]:
        configuration = self._asked.configuration
        texts = [
            (Section.PLATFORM_RULES, configuration.platform_rules),
            (Section.DATE, f"Today is {self._asked.now:%A, %Y-%m-%d} (UTC)."),
            (Section.PERSONA, self._asked.governing.persona or ""),
        ]
        return [
            SectionText(section, Role.SYSTEM, True, text, self._counted(text))
            for section, text in texts
            if text
        ]

    def _state_lines(self, exchange: Exchange) -> list[tuple[ItemRef, str]]:
        lines = [self._line(pin, "pin", "pinned", state_notes.pin_line(pin)) for pin in exchange.pins]
        if exchange.skills is not None:
            text = state_notes.skills_line(exchange.skills)
            lines.append(self._line(exchange.skills, "skill_state", "loaded", text))
        if exchange.working_memory is not None:
            template = self._asked.governing.working_memory.fields or ()
            text = state_notes.working_memory_lines(exchange.working_memory, template)
            lines.append(self._line(exchange.working_memory, "working_memory", "noted", text))
        return lines

    def _recovery_lines(self, exchange: Exchange) -> list[tuple[ItemRef, str]]:
        lines = []
        if exchange.checkpoint is not None:
            text = state_notes.checkpoint_line(exchange.checkpoint)
            lines.append(self._line(exchange.checkpoint, "checkpoint", "continuation", text))
        for call in exchange.unresolved:
            text = state_notes.open_call_line(call)
            lines.append(self._line(call, "tool_call", call.status.value, text))
        for release in exchange.failures:
            text = state_notes.failure_line(release, self._speakers)
            lines.append(self._line(release, "release", release.outcome.value, text))
        return lines

    def _line(self, item: Placed, kind: str, why: str, text: str) -> tuple[ItemRef, str]:
        return ItemRef(item.uid, kind, item.place[0], self._count(text), why), text

    def _line_text(self, line: LineCandidate) -> str:
        speaker = self._speakers.get(line.governance.participant_uid)
        return line_text(line.kind, line.text, line.seqs, line.item_count, speaker.name if speaker else "")

    def _harmless(self, message: MessageCandidate) -> tuple[str, int]:
        """A message's text without what looks like a fence, and its tokens; a very long one is not counted
        again."""
        if message.uid not in self._clean:
            text, tokens = fence.strip(message.text), message.tokens
            if text != message.text and tokens <= 2 * self._asked.profile.message_tokens_max:
                tokens = self._count(text)
            self._clean[message.uid] = text, tokens
        return self._clean[message.uid]

    def _said_by(self, message: MessageCandidate) -> str:
        """Who said a recalled message: by name where that is needed, else by role."""
        role, label = presented(message, self._asker_uid, self._speakers)
        return fence.strip(label) if label else f"{role.value}: "

    def _label_tokens(self, message: MessageCandidate) -> int:
        _, label = presented(message, self._asker_uid, self._speakers)
        return self._counted(fence.strip(label)) + JOINT_TOKENS if label else 0

    def _marks(self, memory: MemoryCandidate, flags: Flags) -> list[str]:
        stale = [STALE_FLAG] if memory.uid in flags.stale else []
        against = flags.conflicts.get(memory.uid)
        return stale if against is None else [*stale, f"[conflicts with @{against}]"]

    def _counted(self, text: str) -> int:
        """The tokens of what comes again and again."""
        if text not in self._known:
            self._known[text] = self._count(text)
        return self._known[text]

    def _fenced(self, text: str) -> str:
        return fence.opening(self._mark) + text + fence.closing(self._mark)


def note_line(note: Note) -> str:
    """A note as one item, without what looks like a fence."""
    return fence.strip(notes.within_one(note.text)) + "\n"


def joined(system: Iterable[SectionText]) -> str:
    """The system text."""
    return "\n\n".join(section.text for section in system)
