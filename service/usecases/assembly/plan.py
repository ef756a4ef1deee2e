"""Plan a context: which candidates enter, in which section, at which cost, and why every other one does
not.

Pure: candidates and a request in, a plan out. The order of the policies is that of service.policies.ORDER.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace

from service.model.candidates import (
    CompactionCandidate,
    Focus,
    FoundMessage,
    LineCandidate,
    MemoryCandidate,
    MessageCandidate,
    Note,
)
from service.model.verdict import Reason
from service.model.vocabulary import Role, Section
from service.policies import packing, recheck, rehydration
from service.policies.conflict import conflicting, level
from service.policies.freshness import source_lost
from service.policies.packing import Item, Queue, Required
from service.policies.ranking import (
    RankedMessage,
    RankedPiece,
    RankedRecord,
    rank_found,
    rank_lines,
    rank_messages,
    rank_records,
    rank_window,
)
from service.policies.recheck import Hint, hints
from service.policies.supersession import superseded
from service.text.search.pieces import pieces
from service.usecases.assembly import layers, recalling
from service.usecases.assembly.costs import Costs, Flags
from service.usecases.assembly.exchange import BEYOND_ALL, Exchange, current_exchange
from service.usecases.assembly.gates import Gates, Omissions
from service.usecases.assembly.request import Asked, Candidates

HINT = -2
"""The record number of a hint that stands for a memory."""
RECENT_CHARS_MAX = 4_000


@dataclass(frozen=True, slots=True)
class Plan:
    """A context before it is written: chosen items per section, excerpt caps, flags and omissions."""

    exchange: Exchange
    granted: dict[str, int]
    compaction: CompactionCandidate | None
    """The view that the context is built on."""
    history: tuple[LineCandidate, ...]
    """Its lines that enter, in order."""
    notes: tuple[Note, ...]
    """What enters of the layers beside talk and tools, best first."""
    memories: tuple[tuple[MemoryCandidate, tuple[int, ...]], ...]
    recalled: tuple[tuple[MessageCandidate, tuple[int, ...] | None], ...]
    """Older messages, each with those of its pieces that enter; None: all of it."""
    window: tuple[MessageCandidate, ...]
    flags: Flags
    hints: tuple[Hint, ...]
    superseded: dict[str, str]
    omissions: Omissions
    ranks: dict[str, int]


@dataclass(frozen=True, slots=True)
class _Optional:
    """What may enter, newest first: of the lineage, and of other branches."""

    compaction: CompactionCandidate | None
    messages: list[MessageCandidate]
    memories: list[MemoryCandidate]
    wide_messages: list[MessageCandidate]
    wide_memories: list[MemoryCandidate]
    flags: Flags
    hints: tuple[Hint, ...]
    notes: list[Note]
    found: list[FoundMessage]
    """Messages of the lineage, however old, that a search found."""
    searched: int
    """Among how many."""
    beside_results: bool
    """Whether tools gave results that the asker may see."""

    def lines(self) -> tuple[LineCandidate, ...]:
        """The summary's."""
        return self.compaction.lines if self.compaction else ()

    def covers(self, message: MessageCandidate) -> bool:
        """Whether a message of the lineage is covered: it can be recalled, and stands in no window."""
        return self.compaction is not None and message.place[0] <= self.compaction.until_seq


def plan(asked: Asked, candidates: Candidates, costs: Costs) -> Plan:
    """Choose. Raises service.errors.BudgetTooSmall."""
    omitted = Omissions()
    gates = Gates(asked, candidates, omitted)
    messages = gates.messages(candidates.messages)
    older = gates.messages(candidates.older)
    calls = gates.calls(candidates.calls)
    memories, stale = gates.memories(candidates.memories)
    wide, wide_stale = gates.memories(candidates.wide_memories)
    replaced = superseded(memories)
    current = [m for m in memories if m.uid not in replaced]
    pins = gates.pins(candidates.state.pins)
    exchange = current_exchange(asked, candidates, messages, calls, pins, current)
    exchange = replace(
        exchange,
        skills=gates.own(exchange.skills),
        working_memory=gates.working_memory(exchange.working_memory),
        checkpoint=gates.own(exchange.checkpoint),
        failures=gates.failures(exchange.failures),
    )
    exchange = _with_exact(asked, exchange, current, gates, omitted)
    focus = _focus(asked, exchange, messages, candidates.memories)
    spoken = {m.uid for m in exchange.spoken()}
    shown = {call.artifact_uid for call in exchange.unseen}
    must = {m.uid for m in (*exchange.critical, *exchange.exact)}
    for uid in replaced:
        omitted.add(uid, Reason.SUPERSEDED)
    for memory in current:
        if memory.artifact_uid in shown:
            omitted.add(memory.uid, Reason.SHOWN_WHOLE)
    visible = {m.uid for m in (*messages, *older)} - spoken
    found = recalling.find(asked, candidates, exchange.request, visible)
    found_uids = frozenset(one.message.uid for one in found)
    for message in older:
        if message.uid not in found_uids:
            omitted.add(message.uid, Reason.NOT_FOUND)
    wide_messages = gates.messages(candidates.wide_messages)
    wide_memories = [m for m in wide if m.artifact_uid not in shown]
    optional = _Optional(
        compaction=gates.view(candidates.state.compaction),
        messages=[m for m in messages if m.uid not in spoken],
        memories=[m for m in current if m.artifact_uid not in shown and m.uid not in must],
        wide_messages=wide_messages,
        wide_memories=wide_memories,
        flags=Flags(
            frozenset([m.uid for m in wide_messages] + [m.uid for m in wide_memories]),
            stale | wide_stale,
            found_uids,
            conflicting([*current, *wide], {m.uid for m in wide}),
        ),
        hints=hints(gates.barred, [*current, *wide], asked.governing.policies),
        notes=layers.notes(asked, candidates, gates, focus),
        found=found,
        searched=len(visible),
        beside_results=bool(memories or wide or exchange.unseen),
    )
    required = _required(asked, exchange, optional.flags, costs)
    queues = _queues(asked, optional, focus, costs)
    packed = packing.pack(required, queues, asked.budget_tokens, asked.profile)
    return _plan(exchange, packed, optional, {**replaced, **gates.superseded}, omitted)


def _with_exact(
    asked: Asked, exchange: Exchange, memories: list[MemoryCandidate], gates: Gates, omitted: Omissions
) -> Exchange:
    """The exchange with the results whose exact bytes the request needs; nothing stands in for one that is
    not to be had."""
    shown = {call.artifact_uid for call in exchange.unseen}
    others = [m for m in memories if m.artifact_uid not in shown and m.result_bytes]
    text = exchange.request.text if exchange.request else ""
    settings = asked.governing.policies
    found = rehydration.choose(others, text, asked.exact, settings.exact)
    for memory in found.too_large:
        omitted.add(memory.uid, Reason.TOO_LARGE_TO_REHYDRATE)
    exact = tuple(m for m in found.chosen if gates.may_read(m) and not source_lost(m, settings))
    critical = tuple(m for m in exchange.critical if m not in exact)
    return replace(exchange, exact=exact, critical=critical)


def _focus(
    asked: Asked,
    exchange: Exchange,
    messages: list[MessageCandidate],
    memories: tuple[MemoryCandidate, ...],
) -> Focus:
    spoken = next((m.text for m in messages if m.role is Role.ASSISTANT), "")
    unseen = [text for c in exchange.unseen for text in (c.arguments, (c.result or "")[:RECENT_CHARS_MAX])]
    parameters: dict[str, tuple[str, ...]] = {}
    for memory in reversed(memories):
        known = parameters.get(memory.tool_name, ())
        parameters[memory.tool_name] = tuple(dict.fromkeys((*known, *memory.parameters)))
    parameters |= asked.tools
    return Focus(
        request_text=exchange.request.text if exchange.request else "",
        unseen_text="\n".join(unseen),
        spoken_text=spoken[:RECENT_CHARS_MAX],
        tool_parameters=parameters,
        last_tool=exchange.unseen[-1].tool_name if exchange.unseen else "",
    )


def tool_parameters(tool: dict[str, object]) -> tuple[str, tuple[str, ...]]:
    """Name and parameter names of a tool on offer, in OpenAI's, Anthropic's or the plain JSON Schema
    shape."""
    inner = tool.get("function")
    body = inner if isinstance(inner, dict) else tool
    schema = body.get("parameters") or body.get("input_schema") or {}
    properties = schema.get("properties") if isinstance(schema, dict) else None
    names = tuple(map(str, properties)) if isinstance(properties, dict) else ()
    return str(body.get("name", "")), names


def _required(asked: Asked, exchange: Exchange, flags: Flags, costs: Costs) -> Required:
    fixed = costs.fixed_tokens() + costs.state_tokens(exchange)
    fixed += sum(costs.call_tokens(call) for call in exchange.unseen)
    fixed += sum(costs.request_tokens(m, asked.profile.request_tokens_max) for m in exchange.spoken())
    fixed += sum(costs.headline_tokens(m, flags) + sum(m.record_tokens) for m in exchange.critical)
    fixed += sum(costs.exact_tokens(m) for m in exchange.exact)
    raw = [(call.uid, call.result_tokens) for call in exchange.unseen]
    raw += [(memory.uid, memory.result_tokens) for memory in exchange.exact]
    pins = tuple(pin.uid for pin in exchange.pins)
    return Required(fixed, tuple(raw), costs.opened(exchange), _what(exchange), pins)


def _what(exchange: Exchange) -> str:
    """What asks for the room, by kind and number."""
    counted = {
        "newest messages": len(exchange.spoken()),
        "pins": len(exchange.pins),
        "working memory": int(exchange.working_memory is not None),
        "unseen results": len(exchange.unseen),
        "exact results": len(exchange.exact),
        "open calls": len(exchange.unresolved),
        "failed calls to retry": len(exchange.critical),
    }
    named = ", ".join(f"{count} {kind}" for kind, count in counted.items() if count)
    return f"What must enter (system text{', ' if named else ''}{named})"


def _queues(asked: Asked, optional: _Optional, focus: Focus, costs: Costs) -> list[Queue]:
    profile = asked.profile

    cap = profile.message_tokens_max

    def told(ranked: list[RankedMessage], elsewhere: bool = False) -> list[Item]:
        return [
            Item(
                Section.RECALLED_MESSAGES,
                entry.message.uid,
                costs.recalled_tokens(entry.message, cap, elsewhere),
                worth=entry.worth,
            )
            for entry in ranked
        ]

    def noted(ranking: list[RankedRecord]) -> list[Item]:
        return [
            Item(
                Section.TOOL_MEMORIES,
                ranked.memory.uid,
                ranked.memory.record_tokens[ranked.record] if ranked.record >= 0 else 0,
                ranked.record,
                costs.headline_tokens(ranked.memory, optional.flags),
                ranked.worth,
            )
            for ranked in ranking
        ]

    own, others = level(
        optional.flags.conflicts,
        rank_records(optional.memories, focus),
        rank_records(optional.wide_memories, focus),
    )
    again = [
        Item(Section.TOOL_MEMORIES, h.uid, costs.hint_tokens(h), HINT, worth=recheck.WORTH)
        for h in optional.hints
    ]
    ranked = rank_found(optional.found, optional.searched, optional.beside_results)
    searched = [_found_item(entry, costs, cap) for entry in ranked]
    recent = [m for m in optional.messages if not optional.covers(m)]
    window = [
        Item(
            Section.RECENT_WINDOW,
            entry.message.uid,
            costs.message_tokens(entry.message, cap),
            worth=entry.worth,
        )
        for entry in rank_window(recent, asked.governing.talk.last_messages)
    ]
    history = [
        Item(Section.COMPACTED_HISTORY, entry.line.uid, costs.line_tokens(entry.line), worth=entry.worth)
        for entry in rank_lines(optional.lines(), focus)
    ]
    recalled = told(rank_messages(optional.messages, focus))
    shared = told(rank_messages(optional.wide_messages, focus), elsewhere=True)
    notes, lines = costs.opens(Section.TOOL_MEMORIES), costs.opens(Section.RECALLED_MESSAGES)
    talk = costs.opens(Section.RECENT_WINDOW)
    return [
        *_note_queues(optional.notes, costs),
        Queue(Section.TOOL_MEMORIES, profile.records_weight, noted(own), notes),
        Queue(Section.TOOL_MEMORIES, 1.0, again, notes),
        Queue(Section.RECALLED_MESSAGES, profile.recalled_weight, searched, lines),
        Queue(Section.RECALLED_MESSAGES, profile.recalled_weight, recalled, lines),
        Queue(
            Section.COMPACTED_HISTORY,
            profile.history_weight,
            history,
            costs.opens(Section.COMPACTED_HISTORY),
        ),
        Queue(Section.RECENT_WINDOW, profile.window_weight, window, talk, unbroken=True),
        Queue(Section.TOOL_MEMORIES, profile.records_weight, noted(others), notes, filling=True),
        Queue(Section.RECALLED_MESSAGES, profile.recalled_weight, shared, lines, filling=True),
    ]


def _note_queues(notes: list[Note], costs: Costs) -> list[Queue]:
    by_section: dict[Section, list[Item]] = defaultdict(list)
    for note in notes:
        item = Item(note.section, note.uid, costs.note_tokens(note), note.record, worth=note.worth)
        by_section[note.section].append(item)
    return [Queue(section, 1.0, items, costs.opens(section)) for section, items in by_section.items()]


def _found_item(entry: RankedPiece, costs: Costs, tokens_max: int) -> Item:
    message, section = entry.message, Section.RECALLED_MESSAGES
    if entry.piece is None:
        tokens = costs.recalled_tokens(message, tokens_max, elsewhere=False)
        return Item(section, message.uid, tokens, worth=entry.worth)
    tokens = costs.piece_tokens(pieces(message.text)[entry.piece])
    return Item(section, message.uid, tokens, entry.piece, costs.lead_tokens(message), entry.worth)


def _plan(
    exchange: Exchange,
    packed: packing.Packing,
    optional: _Optional,
    replaced: dict[str, str],
    omitted: Omissions,
) -> Plan:
    entered = {(item.uid, item.record) for item in packed.items}
    taken: dict[str, list[int]] = defaultdict(list)
    said: dict[str, Section] = {}
    heard: dict[str, list[int]] = defaultdict(list)
    ranks: dict[str, int] = {}
    for item in packed.items:
        ranks.setdefault(item.uid, len(ranks) + 1)
        if item.section is Section.TOOL_MEMORIES:
            taken[item.uid].append(item.record if item.record is not None else packing.HEADLINE)
        elif item.section is Section.RECALLED_MESSAGES and item.record is not None:
            heard[item.uid].append(item.record)
        else:
            said[item.uid] = item.section
    out = {i.uid: Reason.WORTH_TOO_LITTLE for i in packed.unneeded if i.record != HINT}
    out |= {i.uid: Reason.OVER_BUDGET for i in packed.left_out if i.record != HINT}
    covered = {m.uid for m in optional.messages if optional.covers(m)}
    for uid, reason in out.items():
        if uid not in ranks:
            omitted.add(uid, Reason.COMPACTED if uid in covered else reason)
    known = {m.uid: m for m in (*(one.message for one in optional.found), *optional.messages)}
    chosen = sorted((m for uid, m in known.items() if uid in said), key=lambda m: m.place)
    parts = [(m, tuple(heard[uid])) for uid, m in known.items() if uid in heard and uid not in said]
    windowed = [m.place for m in chosen if said[m.uid] is Section.RECENT_WINDOW]
    start = min(windowed, default=(exchange.request.place if exchange.request else (BEYOND_ALL, 0)))
    noted = [
        (m, tuple(sorted(r for r in taken[m.uid] if r >= 0))) for m in optional.memories if m.uid in taken
    ]
    noted += [(m, tuple(range(len(m.records)))) for m in exchange.critical]
    noted.sort(key=lambda entry: entry[0].place)
    wide = [
        (m, tuple(sorted(r for r in taken[m.uid] if r >= 0)))
        for m in optional.wide_memories
        if m.uid in taken
    ]
    elsewhere = [(m, None) for m in optional.wide_messages if m.uid in said]
    recalled = [*((m, None) for m in chosen if m.place < start), *parts]
    recalled.sort(key=lambda entry: entry[0].place)
    return Plan(
        exchange=exchange,
        granted=packed.granted,
        compaction=optional.compaction,
        history=tuple(line for line in optional.lines() if line.uid in said),
        notes=tuple(note for note in optional.notes if (note.uid, note.record) in entered),
        memories=(*wide, *noted),
        recalled=(*elsewhere, *recalled),
        window=tuple(m for m in chosen if m.place >= start),
        flags=optional.flags,
        hints=tuple(hint for hint in optional.hints if hint.uid in taken),
        superseded=replaced,
        omissions=omitted,
        ranks=ranks,
    )
