"""Plan a context: which candidates enter, in which section, at which cost, and why every other one does
not.

Pure: candidates and a request in, a plan out. The order of the policies is that of service.policies.ORDER.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from service.errors import BudgetTooSmall
from service.model.candidates import CallCandidate, Focus, Governance, MemoryCandidate, MessageCandidate
from service.model.verdict import Reason, Verdict
from service.model.vocabulary import CallStatus, Role, Section
from service.policies import freshness, packing, privacy, visibility
from service.policies.packing import Item, PackingProfile, Queue, Required
from service.policies.ranking import rank_messages, rank_records
from service.policies.supersession import superseded
from service.usecases.assembly.request import Asked, Candidates

FRAMING_TOKENS = 4
"""What a provider adds around each message or call."""
STALE_TOKENS = 12
"""Upper bound of the flag on a stale memory's headline."""
RECENT_CHARS_MAX = 4_000
UNRESOLVED = (CallStatus.PENDING, CallStatus.DEFERRED)


@dataclass(slots=True)
class Omissions:
    """Uids of what stayed out, by reason, in order of judgement."""

    by_reason: dict[Reason, list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, uid: str, reason: Reason) -> None:
        """Note one item."""
        self.by_reason[reason].append(uid)


@dataclass(frozen=True, slots=True)
class Exchange:
    """What must enter: the newest user message, results no run has seen, and calls without an answer."""

    request: MessageCandidate | None
    unseen: tuple[CallCandidate, ...]
    unresolved: tuple[CallCandidate, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """A context before it is written: chosen items per section, excerpt caps, flags and omissions."""

    exchange: Exchange
    granted: dict[str, int]
    memories: tuple[tuple[MemoryCandidate, tuple[int, ...]], ...]
    recalled: tuple[MessageCandidate, ...]
    window: tuple[MessageCandidate, ...]
    stale: frozenset[str]
    superseded: dict[str, str]
    omissions: Omissions
    tokens_bound: int
    ranks: dict[str, int]


def plan(
    asked: Asked, candidates: Candidates, fixed_tokens: int, recovery: Callable[[CallCandidate], int]
) -> Plan:
    """Choose. `fixed_tokens` is what system text, fence and tool schemas cost; `recovery` prices a recovery
    note.

    Raises service.errors.BudgetTooSmall.
    """
    omitted = Omissions()
    gate = _Gate(asked, candidates.scope.participant_uid, omitted)
    messages = gate.messages(candidates.messages)
    calls = [c for c in candidates.calls if gate.passes(c.uid, c.governance)]
    exchange = _exchange(candidates, messages, _newest_artifacts(calls))
    memories, stale = gate.memories(candidates.memories)
    shown = {call.artifact_uid for call in exchange.unseen}
    for memory in memories:
        if memory.artifact_uid in shown:
            omitted.add(memory.uid, Reason.SHOWN_WHOLE)
    memories = [m for m in memories if m.artifact_uid not in shown]
    replaced = superseded(memories)
    for uid in replaced:
        omitted.add(uid, Reason.SUPERSEDED)
    memories = [m for m in memories if m.uid not in replaced]
    others = [m for m in messages if m is not exchange.request]
    focus = _focus(asked, exchange, messages, candidates.memories)
    packed = _pack(
        asked, exchange, _queues(memories, others, focus, asked.profile, stale), fixed_tokens, recovery
    )
    return _plan(exchange, packed, memories, others, stale, replaced, omitted)


class _Gate:
    """Visibility, then privacy, then (memories) freshness; the first that says no gives the reason."""

    def __init__(self, asked: Asked, asker_uid: str, omitted: Omissions) -> None:
        self._asked = asked
        self._asker_uid = asker_uid
        self._omitted = omitted

    def passes(self, uid: str, item: Governance) -> bool:
        for verdict in (
            visibility.judge(item, self._asker_uid),
            privacy.judge(item, self._asked.route),
        ):
            if not self._kept(uid, verdict):
                return False
        return True

    def messages(self, found: Iterable[MessageCandidate]) -> list[MessageCandidate]:
        kept = [m for m in found if self.passes(m.uid, m.governance)]
        for message in kept:
            if message.role is Role.SYSTEM:
                self._omitted.add(message.uid, Reason.RULES_FROM_CONFIGURATION)
        return [m for m in kept if m.role is not Role.SYSTEM]

    def memories(self, found: Iterable[MemoryCandidate]) -> tuple[list[MemoryCandidate], set[str]]:
        kept: list[MemoryCandidate] = []
        stale: set[str] = set()
        for memory in found:
            if not self.passes(memory.uid, memory.governance):
                continue
            verdict = freshness.judge(memory, self._asked.now)
            if self._kept(memory.uid, verdict):
                kept.append(memory)
                if verdict is freshness.FLAGGED_STALE:
                    stale.add(memory.uid)
        return kept, stale

    def _kept(self, uid: str, verdict: Verdict) -> bool:
        if not verdict.keep and verdict.reason is not None:
            self._omitted.add(uid, verdict.reason)
        return verdict.keep


def _newest_artifacts(calls: Iterable[CallCandidate]) -> list[CallCandidate]:
    """One entry per call: a fork's own result stands before what its parent had not answered yet."""
    newest: dict[str, CallCandidate] = {}
    for call in calls:
        known = newest.get(call.uid)
        if known is None or known.result_place is None:
            newest[call.uid] = call
    return sorted(newest.values(), key=lambda call: call.place)


def _exchange(
    candidates: Candidates, messages: list[MessageCandidate], calls: list[CallCandidate]
) -> Exchange:
    scope = candidates.scope
    mine = [c for c in calls if c.governance.participant_uid == scope.participant_uid]
    spoken = (
        m.place[0]
        for m in candidates.messages
        if m.role is Role.ASSISTANT and m.governance.participant_uid == scope.participant_uid
    )
    seen_seq = max(scope.run_seq, next(spoken, 0))
    request = next((m for m in messages if m.role is Role.USER), None)
    answered = [c for c in mine if c.status not in UNRESOLVED and c.result_place is not None]
    return Exchange(
        request=request,
        unseen=tuple(c for c in answered if c.result_place and c.result_place[0] > seen_seq),
        unresolved=tuple(c for c in mine if c.status in UNRESOLVED),
    )


def _focus(
    asked: Asked,
    exchange: Exchange,
    messages: list[MessageCandidate],
    memories: tuple[MemoryCandidate, ...],
) -> Focus:
    spoken = next((m.text for m in messages if m.role is Role.ASSISTANT), "")
    results = [(c.result or "")[:RECENT_CHARS_MAX] for c in exchange.unseen]
    parameters: dict[str, tuple[str, ...]] = {}
    for memory in reversed(memories):
        known = parameters.get(memory.tool_name, ())
        parameters[memory.tool_name] = tuple(dict.fromkeys((*known, *memory.parameters)))
    parameters |= asked.tools
    return Focus(
        request_text=exchange.request.text if exchange.request else "",
        recent_text="\n".join([spoken[:RECENT_CHARS_MAX], *results]),
        tool_parameters=parameters,
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


def _pack(
    asked: Asked,
    exchange: Exchange,
    queues: list[Queue],
    fixed_tokens: int,
    recovery: Callable[[CallCandidate], int],
) -> packing.Packing:
    profile = asked.profile
    fixed = fixed_tokens + sum(recovery(c) for c in exchange.unresolved)
    fixed += sum(c.arguments_tokens + 2 * FRAMING_TOKENS for c in exchange.unseen)
    uids: list[str] = []
    if exchange.request is not None:
        fixed += min(exchange.request.tokens, profile.request_tokens_max) + FRAMING_TOKENS
        uids.append(exchange.request.uid)
    required = Required(
        uids=(*uids, *(c.uid for c in exchange.unresolved)),
        fixed_tokens=fixed,
        unseen=tuple((c.uid, c.result_tokens) for c in exchange.unseen),
    )
    try:
        return packing.pack(required, queues, asked.budget_tokens, profile)
    except packing.BudgetTooSmall as short:
        what = f"the current exchange with system text ({len(short.what)} items)"
        raise BudgetTooSmall(short.needed_tokens, what) from None


def _queues(
    memories: list[MemoryCandidate],
    others: list[MessageCandidate],
    focus: Focus,
    profile: PackingProfile,
    stale: set[str],
) -> list[Queue]:
    def item(section: Section, message: MessageCandidate) -> Item:
        cost = min(message.tokens, profile.message_tokens_max) + FRAMING_TOKENS
        return Item(section, message.uid, cost)

    records = [
        Item(
            Section.TOOL_MEMORIES,
            ranked.memory.uid,
            ranked.memory.record_tokens[ranked.record] if ranked.record >= 0 else 0,
            ranked.record,
            ranked.memory.headline_tokens + (STALE_TOKENS if ranked.memory.uid in stale else 0),
        )
        for ranked in rank_records(memories, focus)
    ]
    recalled = [item(Section.RECALLED_MESSAGES, m) for m in rank_messages(others, focus)]
    window = [item(Section.RECENT_WINDOW, m) for m in others]
    return [
        Queue(Section.TOOL_MEMORIES, profile.records_share, 0, records),
        Queue(Section.RECALLED_MESSAGES, profile.recalled_share, 0, recalled),
        Queue(Section.RECENT_WINDOW, profile.window_share, 0, window),
    ]


def _plan(
    exchange: Exchange,
    packed: packing.Packing,
    memories: list[MemoryCandidate],
    others: list[MessageCandidate],
    stale: set[str],
    replaced: dict[str, str],
    omitted: Omissions,
) -> Plan:
    taken: dict[str, list[int]] = defaultdict(list)
    said: dict[str, Section] = {}
    ranks: dict[str, int] = {}
    for item in packed.items:
        ranks.setdefault(item.uid, len(ranks) + 1)
        if item.section is Section.TOOL_MEMORIES:
            taken[item.uid].append(item.record if item.record is not None else packing.HEADLINE)
        else:
            said[item.uid] = item.section
    for uid in dict.fromkeys(item.uid for item in packed.left_out if item.uid not in ranks):
        omitted.add(uid, Reason.OVER_BUDGET)
    chosen = sorted((m for m in others if m.uid in said), key=lambda m: m.place)
    windowed = [m.place for m in chosen if said[m.uid] is Section.RECENT_WINDOW]
    start = min(windowed, default=(exchange.request.place if exchange.request else (0, 0)))
    return Plan(
        exchange=exchange,
        granted=packed.granted,
        memories=tuple(
            (m, tuple(sorted(r for r in taken[m.uid] if r >= 0)))
            for m in sorted(memories, key=lambda m: m.place)
            if m.uid in taken
        ),
        recalled=tuple(m for m in chosen if m.place < start),
        window=tuple(m for m in chosen if m.place >= start),
        stale=frozenset(stale),
        superseded=replaced,
        omissions=omitted,
        tokens_bound=packed.tokens,
        ranks=ranks,
    )
