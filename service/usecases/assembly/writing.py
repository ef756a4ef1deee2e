"""Write a planned context out: sections with their text and items, and the turns that a provider gets.
Pure."""

from __future__ import annotations

from dataclasses import dataclass

from service.model.candidates import CallCandidate, MessageCandidate, Place
from service.model.vocabulary import CallStatus, Role, Section
from service.text import fence
from service.text.excerpts import excerpt
from service.text.notes import memory_text
from service.text.render import Pair, Turn
from service.text.tokens import Tokenizer
from service.usecases.assembly.plan import FRAMING_TOKENS, STALE_TOKENS, Plan
from service.usecases.assembly.request import Asked

MEMORIES_HEADING = "Earlier tool results:\n"
RECALLED_HEADING = "Earlier messages:\n"
RECOVERY_HEADING = "Calls still open:\n"


@dataclass(frozen=True, slots=True)
class ItemRef:
    """One item of a section: the service's id, its place in the log, what it costs, and why it is in."""

    uid: str
    kind: str
    seq: int
    tokens: int
    why: str


@dataclass(frozen=True, slots=True)
class SectionText:
    """A section as the model reads it. `authoritative` is true for rules, date, persona and the user's
    request."""

    section: Section
    role: Role
    authoritative: bool
    text: str
    tokens: int
    items: tuple[ItemRef, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """The context: sections in order, the same as turns, and its cost in tokens."""

    sections: tuple[SectionText, ...]
    turns: tuple[Turn, ...]
    tokens: int


class Writer:
    """Writes for one assembly. `mark` is its fence's marker."""

    def __init__(self, asked: Asked, tokenizer: Tokenizer, mark: str) -> None:
        self._asked = asked
        self._tokenizer = tokenizer
        self._count = tokenizer.count
        self._mark = mark

    def fixed_tokens(self) -> int:
        """What every context of this request costs before any item: system text, fence, headings, schemas."""
        system = sum(section.tokens for section in self._system())
        headings = MEMORIES_HEADING + RECALLED_HEADING + RECOVERY_HEADING
        fenced = self._count(fence.opening(self._mark) + headings + fence.closing(self._mark))
        return system + fenced + 3 * FRAMING_TOKENS + self._asked.tools_tokens

    def recovery_tokens(self, call: CallCandidate) -> int:
        """What the note of an unresolved call costs."""
        return self._count(self._recovery_note(call))

    def write(self, plan: Plan, raw: dict[str, str]) -> Written:
        """Sections and turns of a plan. `raw` holds the exact results that were read, by call uid."""
        system = self._system()
        fenced = [s for s in (self._memories(plan), self._recalled(plan), self._recovery(plan)) if s]
        spoken = [self._spoken(m, "recent") for m in plan.window]
        exchange = self._exchange(plan, raw)
        sections = [*system, *fenced]
        if plan.window:
            sections.append(
                SectionText(
                    Section.RECENT_WINDOW,
                    Role.USER,
                    False,
                    "".join(f"{turn.role.value}: {turn.text}\n" for _, turn, _ in spoken),
                    sum(item.tokens for _, _, item in spoken),
                    tuple(item for _, _, item in spoken),
                )
            )
        sections += exchange
        turns = [Turn(Role.SYSTEM, "\n\n".join(s.text for s in system))]
        if fenced:
            turns.append(Turn(Role.USER, self._fenced("".join(s.text for s in fenced))))
        turns += self._in_order(plan, spoken, raw)
        fence_tokens = self._count(self._fenced("")) + FRAMING_TOKENS if fenced else 0
        total = sum(s.tokens for s in sections) + fence_tokens + self._asked.tools_tokens + FRAMING_TOKENS
        return Written(tuple(sections), tuple(turns), total)

    # -- sections

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

    def _memories(self, plan: Plan) -> SectionText | None:
        text = MEMORIES_HEADING
        items = []
        for memory, records in plan.memories:
            written = fence.strip(memory_text(memory, records))
            flag = _STALE if memory.uid in plan.stale else ""
            text += written if not flag else written.replace("\n", f" {flag}\n", 1)
            tokens = memory.headline_tokens + sum(memory.record_tokens[at] for at in records)
            tokens += STALE_TOKENS if flag else 0
            items.append(
                ItemRef(memory.uid, "tool_memory", memory.place[0], tokens, "stale" if flag else "ranked")
            )
        return self._section(Section.TOOL_MEMORIES, text, items, MEMORIES_HEADING)

    def _recalled(self, plan: Plan) -> SectionText | None:
        spoken = [self._spoken(m, "recalled") for m in plan.recalled]
        text = RECALLED_HEADING + "".join(f"@{m[2].seq} {m[1].role.value}: {m[1].text}\n" for m in spoken)
        return self._section(Section.RECALLED_MESSAGES, text, [m[2] for m in spoken], RECALLED_HEADING)

    def _recovery(self, plan: Plan) -> SectionText | None:
        notes = [(call, self._recovery_note(call)) for call in plan.exchange.unresolved]
        items = [
            ItemRef(call.uid, "tool_call", call.place[0], self._count(note), call.status.value)
            for call, note in notes
        ]
        text = RECOVERY_HEADING + "".join(note for _, note in notes)
        return self._section(Section.RECOVERY, text, items, RECOVERY_HEADING)

    def _section(self, section: Section, text: str, items: list[ItemRef], heading: str) -> SectionText | None:
        if not items:
            return None
        tokens = self._count(heading) + sum(item.tokens for item in items)
        return SectionText(section, Role.USER, False, text, tokens, tuple(items))

    def _exchange(self, plan: Plan, raw: dict[str, str]) -> list[SectionText]:
        request = plan.exchange.request
        text, items = "", []
        if request is not None:
            _, turn, item = self._spoken(request, "newest_request", self._asked.profile.request_tokens_max)
            text += f"user: {turn.text}\n"
            items.append(item)
        for call in plan.exchange.unseen:
            pair = self._pair(call, plan, raw)
            text += f"assistant: {pair.tool_name}({pair.arguments})\ntool {pair.tool_name}: {pair.result}\n"
            tokens = call.arguments_tokens + self._count(pair.result) + 2 * FRAMING_TOKENS
            items.append(ItemRef(call.uid, "tool_call", call.place[0], tokens, "unseen_result"))
        if not items:
            return []
        total = sum(item.tokens for item in items)
        return [SectionText(Section.CURRENT_EXCHANGE, Role.USER, True, text, total, tuple(items))]

    # -- pieces

    def _spoken(
        self, message: MessageCandidate, why: str, tokens_max: int | None = None
    ) -> tuple[Place, Turn, ItemRef]:
        cap = tokens_max if tokens_max is not None else self._asked.profile.message_tokens_max
        shown = message.text
        if message.tokens > cap:
            shown = excerpt(shown, cap, message.place[0], self._tokenizer)
        if why != "newest_request":
            shown = fence.strip(shown)
        tokens = min(message.tokens, cap) + FRAMING_TOKENS
        item = ItemRef(message.uid, "message", message.place[0], tokens, why)
        return message.place, Turn(message.role, shown), item

    def _pair(self, call: CallCandidate, plan: Plan, raw: dict[str, str]) -> Pair:
        whole = raw.get(call.uid, call.result or "")
        result_seq = call.result_place[0] if call.result_place else call.place[0]
        shown = excerpt(whole, plan.granted[call.uid], result_seq, self._tokenizer)
        failed = call.status is CallStatus.FAILED
        return Pair(call.call_id, call.tool_name, call.arguments, fence.strip(shown), failed)

    def _in_order(
        self, plan: Plan, spoken: list[tuple[Place, Turn, ItemRef]], raw: dict[str, str]
    ) -> list[Turn]:
        """Messages and unseen pairs by place; pairs join the assistant's turn right before them."""
        placed: list[tuple[Place, Turn]] = [(place, turn) for place, turn, _ in spoken]
        request = plan.exchange.request
        if request is not None:
            place, turn, _ = self._spoken(request, "newest_request", self._asked.profile.request_tokens_max)
            placed.append((place, turn))
        for call in plan.exchange.unseen:
            placed.append((call.place, Turn(Role.ASSISTANT, "", (self._pair(call, plan, raw),))))
        turns: list[Turn] = []
        for _, turn in sorted(placed, key=lambda entry: entry[0]):
            last = turns[-1] if turns else None
            if turn.pairs and last is not None and last.role is Role.ASSISTANT:
                turns[-1] = Turn(Role.ASSISTANT, last.text, last.pairs + turn.pairs)
            else:
                turns.append(turn)
        return turns

    def _recovery_note(self, call: CallCandidate) -> str:
        note = fence.strip(f"{call.tool_name}({call.arguments}) {call.status.value}, no result yet")
        return f"@{call.place[0]} {note}\n"

    def _fenced(self, text: str) -> str:
        return fence.opening(self._mark) + text + fence.closing(self._mark)


_STALE = "[stale: check again before relying on it]"
