"""Write a planned context out as a request with its sections. Pure: raw results come with the call.

What is written is counted again, as it stands in the request: that is the total that is answered and
recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from service.model.candidates import (
    CallCandidate,
    MemoryCandidate,
    MessageCandidate,
    Place,
)
from service.model.vocabulary import CallStatus, Role, Section
from service.policies.attribution import presented
from service.text import fence, notes
from service.text.excerpts import excerpt
from service.text.notes import memory_text, record_line
from service.text.render import (
    Format,
    JsonObject,
    Pair,
    Turn,
    arguments_text,
    framing_tokens,
    render,
)
from service.text.search.pieces import pieces, with_gaps
from service.usecases.assembly import state_notes
from service.usecases.assembly.exchange import BEYOND_ALL
from service.usecases.assembly.plan import Plan
from service.usecases.assembly.prices import (
    ELSEWHERE,
    EXACT,
    HEADINGS,
    UNREADABLE,
    Prices,
    joined,
    note_line,
)
from service.usecases.assembly.sections import ItemRef, SectionText, Written

BEFORE_ALL = (-1, 0)
"""A place before every item's."""


@dataclass(frozen=True, slots=True)
class _Spoken:
    """A message as it enters."""

    place: Place
    turn: Turn
    item: ItemRef


class Writer(Prices):
    """Prices and writes for one assembly."""

    def write(
        self,
        plan: Plan,
        raw: dict[str, str],
        shape: Format,
        tools: Sequence[JsonObject] = (),
        cached: bool = False,
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
            self._notes(Section.INSIGHTS, plan),
            self._history(plan),
            self._notes(Section.PRODUCT_CONTEXT, plan),
            self._notes(Section.KNOWLEDGE_PASSAGES, plan),
            self._lines(Section.WORKING_MEMORY, self._state_lines(plan.exchange)),
            self._notes(Section.USER_MEMORIES, plan),
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
        turns = (Turn(Role.SYSTEM, joined(system)), *_in_order(placed))
        request = render(turns, shape, tools, cached)
        prefix = self._count(turns[0].text) + self._asked.tools_tokens
        total = prefix + sum(section.tokens for section in (*data, *spoken))
        total += len(fences) * self._fence_tokens + framing_tokens(request)
        return Written((*system, *data, *spoken), turns, request, total, prefix)

    def _notes(self, section: Section, plan: Plan) -> SectionText:
        found = [note for note in plan.notes if note.section is section]
        return self._lines(section, [self._line(one, one.kind, one.why, note_line(one)) for one in found])

    def _history(self, plan: Plan) -> SectionText:
        lines = [
            (ItemRef(one.uid, "summary_line", one.seqs[0], self._count(text), one.kind.value), text)
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
        for message, chosen in plan.recalled:
            said = self._said(message) if chosen is None else with_gaps(pieces(message.text), chosen)
            said = fence.strip(notes.within_one(said.rstrip("\n")))
            text = f"@{message.place[0]} {self._said_by(message)}{said}\n"
            text = ELSEWHERE + text if message.uid in plan.flags.elsewhere else text
            why = "found" if message.uid in plan.flags.found else "recalled"
            lines.append(self._line(message, "message", why, text))
        return self._lines(Section.RECALLED_MESSAGES, lines)

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
        shown, tokens = self._cut(shown, tokens, tokens_max, message.place[0])
        if label:
            shown = fence.strip(label) + shown
            tokens = self._count(shown)
        item = ItemRef(message.uid, "message", message.place[0], tokens, why)
        return _Spoken(message.place, Turn(role, shown), item)

    def _said(self, message: MessageCandidate) -> str:
        """All of an older message that enters."""
        shown, tokens = self._harmless(message)
        cap = self._asked.profile.message_tokens_max
        return self._cut(notes.within_one(shown), tokens + notes.breaks(shown), cap, message.place[0])[0]

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

    def _cut(self, text: str, tokens: int, tokens_max: int, seq: int) -> tuple[str, int]:
        """A text of so many tokens as it is, or as much of it as fits, where these are too many."""
        if tokens <= tokens_max:
            return text, tokens
        shown = excerpt(text, tokens_max, seq, self._tokenizer)
        return shown, self._count(shown)


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
