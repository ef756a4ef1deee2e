"""One conversation recorded twice, in the service and in the reference model, and their answers compared."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from conversations import CONVERSATION, Choice, Json, event_of, opening, word
from reference.asking import HINTED, ITEMS, Asking, may_go
from reference.model import Entry, Key, World
from served import Rows
from wired_tenant import Tenant

from service.errors import BudgetTooSmall, NothingToCompact
from service.model.configuration import ProviderRoute
from service.model.consistency import ConsistencyToken
from service.model.events import Batch
from service.model.verdict import Reason
from service.model.vocabulary import RuntimeKind
from service.text.render import Format
from service.usecases.assemble_context import Assembled, AssembleRequest
from service.usecases.assembly.choosing import Where
from service.usecases.assembly.reading import MEMORIES_MAX, MESSAGES_MAX, WIDE_MAX
from service.usecases.compact_branch import CompactRequest
from service.usecases.read_transcript import Place

UNLIMITED_TOKENS = 10_000_000
AT_ONCE = 3
"""Contexts that are asked for at the same time."""
CHOSEN = {Reason.SUPERSEDED, Reason.SHOWN_WHOLE}
"""Reasons that choose among what may enter, whatever the budget."""
BOUNDED = {
    *(*CHOSEN, Reason.OVER_BUDGET, Reason.WORTH_TOO_LITTLE),
    *(Reason.COMPACTED, Reason.TOO_LARGE_TO_REHYDRATE),
}
AGEING = ("stale_volatile", "expired")
KIND_OF = {"tool_memory": "memory", "tool_artifact": "memory", "recheck_hint": "memory"}
"""Kinds of a context's items that the model names otherwise."""
WORD = re.compile(word(r"(\w+?)"))
NAMES = """
MATCH (b:Branch {tenant_id: $t, conversation_id: $c})
CALL (b) {
  MATCH (n:Message {branch_ref: b.branch_ref}) RETURN n.uid AS uid, 'message' AS kind, n.message_id AS id
UNION
  MATCH (n:Pin {branch_ref: b.branch_ref}) RETURN n.uid AS uid, 'pin' AS kind, n.pin_id AS id
UNION
  MATCH (n:ToolCall {branch_ref: b.branch_ref}) RETURN n.uid AS uid, 'tool_call' AS kind, n.call_id AS id
UNION
  MATCH (n:ToolMemory {branch_ref: b.branch_ref})-[:DERIVED_FROM]->()<-[:RESULTED_IN]-(t)
  RETURN n.uid AS uid, 'memory' AS kind, t.call_id AS id
UNION
  MATCH (n:SkillState {branch_ref: b.branch_ref})
  RETURN n.uid AS uid, 'skill_state' AS kind, toString(n.seq) AS id
UNION
  MATCH (n:WorkingMemory {branch_ref: b.branch_ref})
  RETURN n.uid AS uid, 'working_memory' AS kind, toString(n.seq) AS id
UNION
  MATCH (n:ContinuationCheckpoint {branch_ref: b.branch_ref})
  RETURN n.uid AS uid, 'checkpoint' AS kind, n.checkpoint_id AS id
UNION
  MATCH (n:PolicyDecision {branch_ref: b.branch_ref})
  RETURN n.uid AS uid, 'release' AS kind, toString(n.seq) AS id
}
RETURN uid, kind, id, b.branch_id AS branch
"""


LINES = "MATCH (l:SummaryLine {tenant_id: $t}) RETURN l.uid AS uid"


@dataclass(frozen=True)
class Ask:
    """A request for a context. Numbers are taken modulo what there is; `exact` asks for raw results.

    The profile counts under a bounded budget only: no other than `thorough` takes all that has room.
    """

    branch: int
    seat: int
    provider: int
    mode: RuntimeKind
    exact: bool = False
    budget_tokens: int = UNLIMITED_TOKENS
    profile: str = "thorough"


@dataclass
class Twins:
    """A tenant's conversation in the service, and the same in the model."""

    tenant: Tenant
    world: World = field(default_factory=World)
    keys: dict[str, Key] = field(default_factory=dict)
    """The model's key of every item, by the service's uid."""
    entries: dict[Key, Entry] = field(default_factory=dict)
    lines: set[str] = field(default_factory=set)
    """Uids of summary lines, which are judged by their words."""
    words: dict[str, set[Key]] = field(default_factory=dict)
    """What may show the word of an event."""
    routes: list[tuple[str, ProviderRoute]] = field(default_factory=list)
    counted: Counter[str] = field(default_factory=Counter)
    _waiting: list[Json] = field(default_factory=list)
    _at: str = "main"
    _batches: int = 0

    # -- recording

    async def record(self, drawn: Sequence[Choice], branches_max: int = 5) -> None:
        """The same events into both; what follows on one branch without a pause is one batch."""
        for event in opening():
            await self._add("main", event)
        at = "main"
        for number, choice in enumerate(drawn):
            if choice.pause_min:
                await self._flush()
                self.tenant.clock.advance(timedelta(minutes=choice.pause_min))
            names = list(self.world.heads)
            at = names[choice.branch % len(names)] if choice.moves else at
            event = event_of(choice, self.world, at, f"n{number}", self.tenant.clock(), branches_max)
            if event is not None and event["kind"] == "resume":
                run = {"kind": "model_run", "run_id": event["run_id"]}
                await self._add(at, run | {"participant_id": event["participant_id"]})
            if event is not None and event["kind"] == "compact":
                await self._compact(at, f"n{number}", event["keep_tokens"])
            elif event is not None:
                await self._add("main" if event["kind"] == "fork" else at, event)
        await self._flush()

    async def configure(self, routes: Sequence[ProviderRoute], persona: str | None = None) -> None:
        """Switch on a configuration with these routes and no others."""
        self.routes = [(f"provider-{number}", route) for number, route in enumerate(routes)]
        await self.tenant.configure(dict(self.routes), persona)

    async def name(self, rows: Rows) -> None:
        """Learn the names of all items, once everything is recorded."""
        tenant_id = self.tenant.caller.tenant_id
        self.lines = {row["uid"] for row in await rows(LINES, t=tenant_id)}
        found = await rows(NAMES, t=tenant_id, c=CONVERSATION)
        self.keys = {row["uid"]: (row["kind"], row["id"], row["branch"]) for row in found}
        self.entries = entries = {e.key: e for branch in self.world.branches.values() for e in branch}
        missing = {key for key in entries if key[0] in ITEMS} ^ set(self.keys.values())
        assert not missing, missing
        for entry in entries.values():
            shown = [entry.event] if entry.pinned is None else [entry.event, entry.pinned.event]
            if entry.kind == "memory":
                shown += [e.event for e in entries.values() if e.kind == "tool_call" and e.id == entry.id]
            if entry.kind == "tool_call":
                shown += [e.event for e in entries.values() if e.kind == "memory" and e.id == entry.id]
            for found_word in WORD.findall(str(shown)):
                self.words.setdefault(found_word, set()).add(entry.key)

    async def _add(self, branch: str, event: Json) -> None:
        if branch != self._at:
            await self._flush()
        self._at = branch
        self._waiting.append(event)
        self.world.record(branch, [event], self.tenant.clock())
        self.counted["steps"] += 1

    async def _compact(self, branch: str, name: str, keep_tokens: int) -> None:
        """Compact a branch in the service; the model only knows that an event was added."""
        await self._flush()
        request = CompactRequest(Place(CONVERSATION, branch, None), name, keep_tokens=keep_tokens)
        try:
            made = await self.tenant.use.compact_branch(self.tenant.caller, request)
        except NothingToCompact:
            return
        self.world.heads[branch] = made.seq
        self.counted["compactions"] += 1

    async def _flush(self) -> None:
        if self._waiting:
            document = {"conversation_id": CONVERSATION, "branch_id": self._at, "events": self._waiting}
            self._batches += 1  # a key of its own: the same release may be recorded twice
            key = f"batch-{self._batches}"
            await self.tenant.use.append_events(self.tenant.caller, Batch.model_validate(document), key)
            self._waiting = []

    # -- asking

    async def compare_all(self, asks: Sequence[Ask]) -> None:
        """Ask and compare, AT_ONCE at a time."""
        for at in range(0, len(asks), AT_ONCE):
            await asyncio.gather(*map(self.compare, asks[at : at + AT_ONCE]))

    async def compare(self, ask: Ask) -> None:
        """Ask both, and compare: in full without a bound; under a budget, that nothing else has entered."""
        where = Where(
            CONVERSATION,
            list(self.world.branches)[ask.branch % len(self.world.branches)],
            list(self.world.seats)[ask.seat % len(self.world.seats)],
        )
        provider, route = self.routes[ask.provider % len(self.routes)]
        asking = Asking(
            self.world,
            where.participant_id,
            where.branch_id,
            route.model_dump(),
            ask.mode.value,
            self.tenant.clock(),
        )
        verdicts = asking.verdicts()
        made = await self._assembled(ask, where, provider)
        self.counted["steps"] += 1
        told = (where, route, ask)
        entered, hinted = self._entered(made, asking)
        allowed = {key for key, reason in verdicts.items() if reason is None}
        outside = entered - allowed | {key for key in hinted if verdicts[key] not in HINTED}
        self.counted["outside"] += len(outside)
        assert not outside, (told, {key: verdicts[key] for key in outside})
        self._check_words(made, asking, entered | _behind_lines(verdicts), told)
        judged = [
            (self.keys[uid], Reason(o["reason"]))
            for o in made.omissions
            for uid in o["uids"]
            if uid not in self.lines
        ]
        refused = {key: reason for key, reason in judged if reason not in BOUNDED}
        assert all(verdicts[key] is not None for key in refused), (told, refused)
        compared = {key: reason for key, reason in refused.items() if key[0] != "tool_call"}
        assert compared == {key: verdicts[key] for key in compared}, told
        if ask.budget_tokens == UNLIMITED_TOKENS and _considered_whole(asking):
            self.counted["compared whole"] += 1
            chosen = {key for key, reason in judged if reason in CHOSEN}
            assert entered | chosen == allowed, (told, "missing", allowed - entered - chosen)

    async def _assembled(self, ask: Ask, where: Where, provider: str) -> Assembled:
        memories = sorted(uid for uid, key in self.keys.items() if key[0] == "memory")
        request = AssembleRequest(
            where=where,
            provider=provider,
            model=None,
            runtime_kind=ask.mode,
            budget_tokens=ask.budget_tokens,
            profile="thorough" if ask.budget_tokens == UNLIMITED_TOKENS else ask.profile,
            format=Format.CANONICAL,
            tools=(),
            token=ConsistencyToken(),
            exact=tuple(memories) if ask.exact else (),
            preview=True,
            trace=True,
        )
        try:
            return await self.tenant.use.assemble_context(self.tenant.caller, request)
        except BudgetTooSmall as short:
            assert ask.budget_tokens < short.needed_tokens < UNLIMITED_TOKENS
            return await self._assembled(replace(ask, budget_tokens=short.needed_tokens), where, provider)

    def _entered(self, made: Assembled, asking: Asking) -> tuple[set[Key], set[Key]]:
        """What stands in the context, and what it only hints at."""
        entries = self.entries
        entered: set[Key] = set()
        hinted: set[Key] = set()
        for item in (item for section in made.written.sections for item in section.items):
            self.counted["items"] += 1
            self.counted[item.kind] += 1
            if item.uid in self.lines:
                continue
            key = self.keys[item.uid]
            assert key[0] == KIND_OF.get(item.kind, item.kind)
            if item.kind == "tool_artifact":
                assert asking.raw(entries[key]), (key, "raw")
            if item.kind == "recheck_hint":
                assert entries[key].privacy != "secret", key
                hinted.add(key)
            else:
                entered.add(key)
        return entered, hinted

    def _check_words(self, made: Assembled, asking: Asking, entered: set[Key], told: Any) -> None:
        """Every word of the context is one of something that has entered."""
        internal = may_go("internal", asking.route)
        for turn in made.written.turns:
            texts = (turn.text, *(part for p in turn.pairs for part in (p.arguments, p.result)))
            for found in WORD.findall("\n".join(texts)):
                shown = self.words[found] & entered
                assert shown, (told, found)
                assert internal or {key[0] for key in shown} != {"release"}, (told, found)


def _behind_lines(verdicts: Mapping[Key, str | None]) -> set[Key]:
    """What a summary may tell of: what may enter, and the calls of results that are only too old to."""
    return {
        key for key, reason in verdicts.items() if reason is None or (key[0] == "memory" and reason in AGEING)
    }


def _considered_whole(asking: Asking) -> bool:
    """Whether an assembly reads all there is, and not the newest of it only."""
    here = Counter(e.kind for e in asking.lineage)
    if here["message"] > MESSAGES_MAX or here["memory"] > MEMORIES_MAX:
        return False
    wide = [
        e
        for e in asking.elsewhere()
        if e.visibility == "conversation" or asking.asker in e.shared_with or e.key in asking.merged
    ]
    there = Counter(e.kind for e in wide)
    return max(there["message"], there["memory"]) <= WIDE_MAX
