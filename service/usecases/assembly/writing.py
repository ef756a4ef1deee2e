"""Price items, and write a planned context out as sections and turns. Pure: raw results come with the
call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from service.model.candidates import CallCandidate, MemoryCandidate, MessageCandidate, Place, Placed
from service.model.vocabulary import CallStatus, Role, Section
from service.policies.attribution import presented
from service.policies.recheck import Hint
from service.text import fence
from service.text.excerpts import excerpt
from service.text.notes import memory_text, record_line
from service.text.render import Pair, Turn
from service.text.tokens import Tokenizer
from service.usecases.assembly import state_notes
from service.usecases.assembly.exchange import Exchange
from service.usecases.assembly.plan import (
    CONFLICT_TOKENS,
    ELSEWHERE_TOKENS,
    FRAMING_TOKENS,
    STALE_TOKENS,
    Plan,
)
from service.usecases.assembly.request import Asked, Candidates
from service.usecases.assembly.sections import ItemRef, SectionText, Written

STATE_HEADING = "Working memory:\n"
MEMORIES_HEADING = "Earlier tool results:\n"
RECALLED_HEADING = "Earlier messages:\n"
RECOVERY_HEADING = "Open or failed:\n"
STALE_FLAG = "[stale: check again before relying on it]"
UNREADABLE = "[its stored bytes cannot be read now; these are notes of it, check again]\n"
ELSEWHERE = "(other branch) "
POINTER_TOKENS = 9
"""Upper bound of what stands around a recalled message: pointer, role, and the line's end."""
BEFORE_ALL, BEYOND_ALL = (-1, 0), 2**62
"""A place before every item's, and a seq that none has."""


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
        self._label_tokens: dict[str, int] = {}

    # -- costs

    def fixed_tokens(self) -> int:
        """System text, fence, headings and tool schemas: what every context of this request costs."""
        system = sum(section.tokens for section in self._system())
        headings = STATE_HEADING + MEMORIES_HEADING + RECALLED_HEADING
        fenced = self._count(self._fenced(headings))
        return system + fenced + 3 * FRAMING_TOKENS + self._asked.tools_tokens

    def state_tokens(self, exchange: Exchange) -> int:
        """Pins, skills, checkpoint, open calls and failures, as written."""
        recovery = self._recovery_lines(exchange)
        fenced = self._count(self._fenced(RECOVERY_HEADING)) + FRAMING_TOKENS if recovery else 0
        return fenced + sum(item.tokens for item, _ in (*self._state_lines(exchange), *recovery))

    def call_tokens(self, call: CallCandidate) -> int:
        """An unseen call without its result."""
        tokens = call.arguments_tokens
        if call.arguments_blob is not None:
            tokens = self._count(f"{call.tool_name}({call.arguments_text()})")
        return tokens + 2 * FRAMING_TOKENS

    def hint_tokens(self, hint: Hint) -> int:
        """A recheck hint, as written."""
        return self._count(state_notes.hint_line(hint))

    def message_tokens(self, message: MessageCandidate, tokens_max: int) -> int:
        """A message with its speaker's label and framing, cut to `tokens_max` where it is longer."""
        _, label = presented(message, self._asker_uid, self._speakers)
        if label and label not in self._label_tokens:
            self._label_tokens[label] = self._count(label)
        return min(message.tokens, tokens_max) + self._label_tokens.get(label, 0) + FRAMING_TOKENS

    def recalled_tokens(self, message: MessageCandidate, tokens_max: int) -> int:
        """The same as a line of the recalled messages, with its pointer and role."""
        return self.message_tokens(message, tokens_max) + POINTER_TOKENS - FRAMING_TOKENS

    # -- writing

    def write(self, plan: Plan, raw: dict[str, str]) -> Written:
        """Sections and turns of a plan. `raw` holds exact results that were read, by uid of call or
        memory."""
        system = self._system()
        cap = self._asked.profile.message_tokens_max
        recalled = [self._spoken(m, "recalled", cap) for m in plan.recalled]
        window = [self._spoken(m, "recent", cap) for m in plan.window]
        said = [
            self._spoken(m, "newest_request", self._asked.profile.request_tokens_max)
            for m in plan.exchange.spoken()
        ]
        pairs = [(call, self._pair(call, plan, raw)) for call in plan.exchange.unseen]
        fenced = [
            self._lines(Section.WORKING_MEMORY, STATE_HEADING, self._state_lines(plan.exchange)),
            self._memories(plan, raw),
            self._recalled(plan, recalled),
        ]
        data = [section for section in fenced if section.items]
        recovery = self._lines(Section.RECOVERY, RECOVERY_HEADING, self._recovery_lines(plan.exchange))
        current = self._exchange(said, pairs)
        spoken = [section for section in (self._window(window), recovery, current) if section.items]
        sections = (*system, *data, *spoken)
        placed = [(one.place, one.turn) for one in (*window, *said)]
        placed += [(call.place, Turn(Role.ASSISTANT, "", (pair,))) for call, pair in pairs]
        fences = [(BEFORE_ALL, data)] if data else []
        if recovery.items:
            start = min((item.seq for item in current.items), default=BEYOND_ALL)
            fences.append(((start, -1), [recovery]))
        placed += [(at, Turn(Role.USER, self._fenced("".join(s.text for s in held)))) for at, held in fences]
        turns = [Turn(Role.SYSTEM, "\n\n".join(s.text for s in system)), *_in_order(placed)]
        fence_tokens = len(fences) * (self._count(self._fenced("")) + FRAMING_TOKENS)
        total = sum(s.tokens for s in sections) + fence_tokens + self._asked.tools_tokens + FRAMING_TOKENS
        return Written(sections, tuple(turns), total)

    def _system(self) -> list[SectionText]:
        configuration = self._asked.configuration
        texts = [
            (Section.PLATFORM_RULES, configuration.platform_rules),
            (Section.DATE, f"Today is {self._asked.now:%A, %Y-%m-%d} (UTC)."),
            (Section.PERSONA, configuration.persona or ""),
        ]
        return [
            SectionText(section, Role.SYSTEM, True, text, self._count(text + "\n\n"))
            for section, text in texts
            if text
        ]

    def _memories(self, plan: Plan, raw: dict[str, str]) -> SectionText:
        lines = []
        for memory, records in plan.memories:
            text = fence.strip(memory_text(memory, records))
            tokens = memory.headline_tokens + sum(memory.record_tokens[at] for at in records)
            why = "failed_to_retry" if memory in plan.exchange.critical else "ranked"
            if memory.uid in plan.stale:
                text, tokens, why = text.replace("\n", f" {STALE_FLAG}\n", 1), tokens + STALE_TOKENS, "stale"
            if memory.uid in plan.conflicts:
                flag = f"[conflicts with @{plan.conflicts[memory.uid]}]"
                text, tokens, why = text.replace("\n", f" {flag}\n", 1), tokens + CONFLICT_TOKENS, "conflict"
            if memory.uid in plan.elsewhere:
                text, tokens = ELSEWHERE + text, tokens + ELSEWHERE_TOKENS
            lines.append((ItemRef(memory.uid, "tool_memory", memory.place[0], tokens, why), text))
        for memory in plan.exchange.exact:
            lines.append(self._exact(memory, plan, raw))
        for hint in plan.hints:
            lines.append(
                self._line(hint.memory, "recheck_hint", hint.reason.value, state_notes.hint_line(hint))
            )
        return self._lines(Section.TOOL_MEMORIES, MEMORIES_HEADING, lines)

    def _exact(self, memory: MemoryCandidate, plan: Plan, raw: dict[str, str]) -> tuple[ItemRef, str]:
        """A rehydrated result in place of its memory."""
        whole = raw.get(memory.uid)
        if whole is None:
            whole = UNREADABLE + "".join(map(record_line, memory.records))
        shown = excerpt(whole, plan.granted[memory.uid], memory.place[0], self._tokenizer)
        text = fence.strip(f"{memory_text(memory, ())}exact result:\n{shown}\n")
        tokens = self._count(text)
        return ItemRef(memory.uid, "tool_artifact", memory.place[0], tokens, "rehydrated"), text

    def _recalled(self, plan: Plan, spoken: list[_Spoken]) -> SectionText:
        lines = []
        for one in spoken:
            item, text = one.item, f"@{one.item.seq} {one.turn.role.value}: {one.turn.text}\n"
            if item.uid in plan.elsewhere:
                item, text = replace(item, tokens=item.tokens + ELSEWHERE_TOKENS), ELSEWHERE + text
            lines.append((item, text))
        return self._lines(Section.RECALLED_MESSAGES, RECALLED_HEADING, lines)

    def _state_lines(self, exchange: Exchange) -> list[tuple[ItemRef, str]]:
        lines = [self._line(pin, "pin", "pinned", state_notes.pin_line(pin)) for pin in exchange.pins]
        if exchange.skills is not None:
            text = state_notes.skills_line(exchange.skills)
            lines.append(self._line(exchange.skills, "skill_state", "loaded", text))
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

    def _lines(self, section: Section, heading: str, lines: Iterable[tuple[ItemRef, str]]) -> SectionText:
        items, texts = tuple(item for item, _ in lines), [text for _, text in lines]
        tokens = self._count(heading) + sum(item.tokens for item in items)
        return SectionText(section, Role.USER, False, heading + "".join(texts), tokens, items)

    def _window(self, spoken: list[_Spoken]) -> SectionText:
        text = "".join(f"{one.turn.role.value}: {one.turn.text}\n" for one in spoken)
        items = tuple(one.item for one in spoken)
        return SectionText(Section.RECENT_WINDOW, Role.USER, False, text, sum(i.tokens for i in items), items)

    def _exchange(self, said: list[_Spoken], pairs: list[tuple[CallCandidate, Pair]]) -> SectionText:
        text = "".join(f"{one.turn.role.value}: {one.turn.text}\n" for one in said)
        items = [one.item for one in said]
        for call, pair in pairs:
            text += f"assistant: {pair.tool_name}({pair.arguments})\ntool {pair.tool_name}: {pair.result}\n"
            tokens = self.call_tokens(call) + self._count(pair.result)
            items.append(ItemRef(call.uid, "tool_call", call.place[0], tokens, "unseen_result"))
        total = sum(item.tokens for item in items)
        return SectionText(Section.CURRENT_EXCHANGE, Role.USER, not pairs, text, total, tuple(items))

    def _spoken(self, message: MessageCandidate, why: str, tokens_max: int) -> _Spoken:
        role, label = presented(message, self._asker_uid, self._speakers)
        shown = message.text
        if message.tokens > tokens_max:
            shown = excerpt(shown, tokens_max, message.place[0], self._tokenizer)
        shown = label + shown if why == "newest_request" else fence.strip(label + shown)
        price = self.recalled_tokens if why == "recalled" else self.message_tokens
        item = ItemRef(message.uid, "message", message.place[0], price(message, tokens_max), why)
        return _Spoken(message.place, Turn(role, shown), item)

    def _pair(self, call: CallCandidate, plan: Plan, raw: dict[str, str]) -> Pair:
        missing = UNREADABLE if call.result_blob is not None else ""
        whole = raw.get(call.uid, call.result or missing)
        result_seq = call.result_place[0] if call.result_place else call.place[0]
        shown = excerpt(whole, plan.granted[call.uid], result_seq, self._tokenizer)
        failed = call.status is CallStatus.FAILED
        return Pair(call.call_id, call.tool_name, call.arguments_text(), fence.strip(shown), failed)

    def _fenced(self, text: str) -> str:
        return fence.opening(self._mark) + text + fence.closing(self._mark)


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
