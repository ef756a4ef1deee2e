"""Price items, and write a planned context out as a request with its sections. Pure: raw results come with
the call.

Prices are upper bounds that add up, so that what a plan lets in fits. What is written is counted again, as it
stands in the request: that is the total that is answered and recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from service.model.candidates import (
    CallCandidate,
    LineCandidate,
    MemoryCandidate,
    MessageCandidate,
    Place,
    Placed,
)
from service.model.vocabulary import CallStatus, Role, Section
from service.policies.attribution import presented
from service.policies.recheck import Hint
from service.text import fence, notes
from service.text.excerpts import excerpt
from service.text.notes import memory_text, record_line
from service.text.render import (
    CALL_TOKENS,
    MESSAGE_TOKENS,
    OPENING_TOKENS,
    REPLY_TOKENS,
    Format,
    JsonObject,
    Pair,
    Turn,
    arguments_text,
    framing_tokens,
    render,
)
from service.text.summary import line_text
from service.text.tokens import Tokenizer
from service.usecases.assembly import state_notes
from service.usecases.assembly.costs import Flags
from service.usecases.assembly.exchange import BEYOND_ALL, Exchange
from service.usecases.assembly.plan import Plan
from service.usecases.assembly.request import Asked, Candidates
from service.usecases.assembly.sections import ItemRef, SectionText, Written

HEADINGS = {
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
JOINT_TOKENS = 1
"""What two texts may cost more side by side than each alone."""
BEFORE_ALL = (-1, 0)
"""A place before every item's."""


@dataclass(frozen=True, slots=True)
class _Spoken:
    """A message as it enters."""

    place: Place
    turn: Turn
    item: ItemRef


class Writer:
    """Prices and writes for one assembly. `mark` is its fence's marker."""

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

    # -- costs

    def fixed_tokens(self) -> int:
        """System text, framing and tool schemas: what every context of this request costs."""
        system = self._count(_joined(self._system()))
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

    def line_tokens(self, line: LineCandidate) -> int:
        """A line of a summary, as written."""
        return self._count(self._line_text(line))

    def message_tokens(self, message: MessageCandidate, tokens_max: int) -> int:
        """A message with its speaker's label and framing, cut to `tokens_max` where it is longer."""
        _, tokens = self._harmless(message)
        return min(tokens, tokens_max) + self._label_tokens(message) + MESSAGE_TOKENS

    def request_tokens(self, message: MessageCandidate, tokens_max: int) -> int:
        """The same for a message of the current exchange, which stays word for word."""
        return min(message.tokens, tokens_max) + self._label_tokens(message) + MESSAGE_TOKENS

    def recalled_tokens(self, message: MessageCandidate, tokens_max: int, elsewhere: bool) -> int:
        """The same as a line of the recalled messages, with its pointer and role."""
        role, _ = presented(message, self._asker_uid, self._speakers)
        seq = message.place[0]
        pointer = self._counted(f"@ {role.value}:\n") + notes.digit_tokens(seq) + JOINT_TOKENS
        mark = self._counted(ELSEWHERE) if elsewhere else 0
        text, tokens = self._harmless(message)
        shown = min(tokens + notes.breaks(text), tokens_max) + self._label_tokens(message)
        return shown + pointer + mark

    def headline_tokens(self, memory: MemoryCandidate, flags: Flags) -> int:
        """A memory's first line with its flags."""
        marks = self._marks(memory, flags)
        before = self._counted(ELSEWHERE) if memory.uid in flags.elsewhere else 0
        return notes.headline_tokens(memory) + before + sum(self._counted(f" {mark}") for mark in marks)

    def exact_tokens(self, memory: MemoryCandidate) -> int:
        """A memory whose exact result stands in its place, without that result."""
        return notes.headline_tokens(memory) + self._counted(EXACT) + 2 * JOINT_TOKENS

    # -- writing

    def write(
        self, plan: Plan, raw: dict[str, str], shape: Format, tools: Sequence[JsonObject] = ()
    ) -> Written:
        """A plan as a request in this shape, counted. `raw` holds exact results that were read, by uid of
        call or memory."""
        system = self._system()
        cap = self._asked.profile.message_tokens_max
        window = [self._spoken(m, "recent", cap) for m in plan.window]
        said = [
            self._spoken(m, "newest_request", self._asked.profile.request_tokens_max)
            for m in plan.exchange.spoken()
        ]
        pairs = [(call, *self._pair(call, plan, raw, shape)) for call in plan.exchange.unseen]
        fenced = [
            self._history(plan),
            self._lines(Section.WORKING_MEMORY, self._state_lines(plan.exchange)),
            self._memories(plan, raw),
            self._recalled(plan),
        ]
        data = [section for section in fenced if section.items]
        recovery = self._lines(Section.RECOVERY, self._recovery_lines(plan.exchange))
        current = self._exchange(said, pairs)
        spoken = [section for section in (self._window(window), recovery, current) if section.items]
        placed = [(one.place, one.turn) for one in (*window, *said)]
        placed += [(call.place, Turn(Role.ASSISTANT, "", (pair,))) for call, pair, _ in pairs]
        fences = [(BEFORE_ALL, data)] if data else []
        if recovery.items:
            start = min((item.seq for item in current.items), default=BEYOND_ALL)
            fences.append(((start, -1), [recovery]))
        placed += [(at, Turn(Role.USER, self._fenced("".join(s.text for s in held)))) for at, held in fences]
        turns = (Turn(Role.SYSTEM, _joined(system)), *_in_order(placed))
        request = render(turns, shape, tools)
        total = self._count(turns[0].text) + sum(section.tokens for section in (*data, *spoken))
        total += len(fences) * self._fence_tokens + framing_tokens(request) + self._asked.tools_tokens
        return Written((*system, *data, *spoken), turns, request, total)

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

    def _history(self, plan: Plan) -> SectionText:
        lines = [
            (ItemRef(one.uid, "summary_line", one.seqs[0], self.line_tokens(one), one.kind.value), text)
            for one in plan.history
            for text in (self._line_text(one),)
        ]
        return self._lines(Section.COMPACTED_HISTORY, lines)

    def _memories(self, plan: Plan, raw: dict[str, str]) -> SectionText:
        lines = []
        for memory, records in plan.memories:
            text = fence.strip(memory_text(memory, records))
            tokens = self.headline_tokens(memory, plan.flags) + sum(
                memory.record_tokens[at] for at in records
            )
            for mark in self._marks(memory, plan.flags):
                text = text.replace("\n", f" {mark}\n", 1)
            if memory.uid in plan.flags.elsewhere:
                text = ELSEWHERE + text
            why = "failed_to_retry" if memory in plan.exchange.critical else "ranked"
            why = "stale" if memory.uid in plan.flags.stale else why
            why = "conflict" if memory.uid in plan.flags.conflicts else why
            lines.append((ItemRef(memory.uid, "tool_memory", memory.place[0], tokens, why), text))
        for memory in plan.exchange.exact:
            lines.append(self._exact(memory, plan, raw))
        for hint in plan.hints:
            lines.append(
                self._line(hint.memory, "recheck_hint", hint.reason.value, state_notes.hint_line(hint))
            )
        return self._lines(Section.TOOL_MEMORIES, lines)

    def _exact(self, memory: MemoryCandidate, plan: Plan, raw: dict[str, str]) -> tuple[ItemRef, str]:
        """A rehydrated result in place of its memory."""
        whole = raw.get(memory.uid)
        if whole is None:
            whole = UNREADABLE + "".join(map(record_line, memory.records))
        shown = excerpt(whole, plan.granted[memory.uid], memory.place[0], self._tokenizer)
        headline = fence.strip(memory_text(memory, ()))
        return self._line(memory, "tool_artifact", "rehydrated", f"{headline}{EXACT}{shown}\n")

    def _recalled(self, plan: Plan) -> SectionText:
        lines = []
        for message in plan.recalled:
            one = self._spoken(message, "recalled", self._asked.profile.message_tokens_max)
            text = f"@{one.item.seq} {one.turn.role.value}: {one.turn.text}\n"
            text = ELSEWHERE + text if message.uid in plan.flags.elsewhere else text
            lines.append(self._line(message, "message", "recalled", text))
        return self._lines(Section.RECALLED_MESSAGES, lines)

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

    def _lines(self, section: Section, lines: Iterable[tuple[ItemRef, str]]) -> SectionText:
        items, texts = tuple(item for item, _ in lines), [text for _, text in lines]
        heading = HEADINGS[section]
        tokens = self._counted(heading) + sum(item.tokens for item in items)
        return SectionText(section, Role.USER, False, heading + "".join(texts), tokens, items)

    def _window(self, spoken: list[_Spoken]) -> SectionText:
        text = "".join(f"{one.turn.role.value}: {one.turn.text}\n" for one in spoken)
        items = tuple(one.item for one in spoken)
        return SectionText(Section.RECENT_WINDOW, Role.USER, False, text, sum(i.tokens for i in items), items)

    def _exchange(self, said: list[_Spoken], pairs: list[tuple[CallCandidate, Pair, int]]) -> SectionText:
        text = "".join(f"{one.turn.role.value}: {one.turn.text}\n" for one in said)
        items = [one.item for one in said]
        for call, pair, tokens in pairs:
            text += f"assistant: {pair.tool_name}({pair.arguments})\ntool {pair.tool_name}: {pair.result}\n"
            items.append(ItemRef(call.uid, "tool_call", call.place[0], tokens, "unseen_result"))
        total = sum(item.tokens for item in items)
        return SectionText(Section.CURRENT_EXCHANGE, Role.USER, not pairs, text, total, tuple(items))

    def _spoken(self, message: MessageCandidate, why: str, tokens_max: int) -> _Spoken:
        """The user's own request stays word for word; all else is cleaned of what looks like a fence."""
        role, label = presented(message, self._asker_uid, self._speakers)
        own = why == "newest_request"
        shown, tokens = (message.text, message.tokens) if own else self._harmless(message)
        if why == "recalled":
            shown, tokens = notes.within_one(shown), tokens + notes.breaks(shown)
        shown, tokens = self._cut(shown, tokens, tokens_max, message.place[0])
        if label:
            shown = fence.strip(label) + shown
            tokens = self._count(shown)
        item = ItemRef(message.uid, "message", message.place[0], tokens, why)
        return _Spoken(message.place, Turn(role, shown), item)

    def _pair(self, call: CallCandidate, plan: Plan, raw: dict[str, str], shape: Format) -> tuple[Pair, int]:
        """A call with its result, and what both cost."""
        missing = UNREADABLE if call.result_blob is not None else ""
        whole = fence.strip(raw.get(call.uid, call.result or missing))
        granted = plan.granted[call.uid]
        known = call.result_tokens if whole == raw.get(call.uid, call.result) else granted + 1
        result_seq = call.result_place[0] if call.result_place else call.place[0]
        shown, tokens = self._cut(whole, known, granted, result_seq)
        failed = call.status is CallStatus.FAILED
        pair = Pair(call.call_id, call.tool_name, call.arguments_text(), shown, failed)
        tokens += self._count(pair.tool_name) + self._count(arguments_text(pair.arguments, shape))
        return pair, tokens

    # -- parts of both

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

    def _cut(self, text: str, tokens: int, tokens_max: int, seq: int) -> tuple[str, int]:
        """A text of so many tokens as it is, or as much of it as fits, where these are too many."""
        if tokens <= tokens_max:
            return text, tokens
        shown = excerpt(text, tokens_max, seq, self._tokenizer)
        return shown, self._count(shown)

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


def _joined(system: Iterable[SectionText]) -> str:
    return "\n\n".join(section.text for section in system)


def _in_order(placed: list[tuple[Place, Turn]]) -> list[Turn]:
    """Turns by place; pairs join the assistant's turn right before them."""
    turns: list[Turn] = []
    for _, turn in sorted(placed, key=lambda entry: entry[0]):
        last = turns[-1] if turns else None
        if turn.pairs and last is not None and last.role is Role.ASSISTANT:
            turns[-1] = Turn(Role.ASSISTANT, last.text, last.pairs + turn.pairs)
        else:
            turns.append(turn)
    return turns
