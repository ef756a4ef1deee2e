"""Random conversations that are compacted again and again, beside a naive record of what was said.

After every step: the log holds all that was said and nothing else; every message of a branch is either
verbatim or covered, never both; every covered one that a context may show stands behind exactly one line of
the standing summary; pins are word for word.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from agent_platform import OPENING, Json, agent, answered, asked, called, forked, replied
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from wired_tenant import Tenant, Tenants

from service.errors import NothingToCompact
from service.model.consistency import ConsistencyToken
from service.model.events import Batch
from service.model.vocabulary import RuntimeKind
from service.text.render import Format
from service.usecases.assemble_context import AssembleRequest
from service.usecases.assembly.choosing import Where
from service.usecases.compact_branch import CompactRequest
from service.usecases.read_transcript import Page, Place

COMPACTIONS_MAX = 8
BRANCHES_MAX = 4
STEPS, EXAMPLES = 22, 8
UNLIMITED_TOKENS = 1_000_000
SPEAKERS = ("mia", "agent", "rival")
NO_TOKEN = ConsistencyToken((), 0, 0)
LIMIT = 500
Answer = TypeVar("Answer")
PIN_TEXTS = ("Budget:\t200 €  \r\n— ever ", "é é", "a | b", " leading and trailing ")


@dataclass
class Line:
    """What one branch reads, by a naive record: a fork copies the front of its parent's."""

    head: int
    said: dict[int, str] = field(default_factory=dict)
    """Message ids by seq."""
    open: set[str] = field(default_factory=set)
    """Ids of messages that everybody on the branch may see."""
    noted: dict[int, str] = field(default_factory=dict)
    """Call ids by the seq of their result."""
    pins: dict[int, str] = field(default_factory=dict)
    compactions: list[tuple[int, int]] = field(default_factory=list)
    """(seq, until_seq)"""

    def up_to(self, seq: int) -> Line:
        """What a fork there takes over."""
        return Line(
            head=seq,
            said={s: one for s, one in self.said.items() if s <= seq},
            open=set(self.open),
            noted={s: one for s, one in self.noted.items() if s <= seq},
            pins={s: one for s, one in self.pins.items() if s <= seq},
            compactions=[one for one in self.compactions if one[0] <= seq],
        )


class Compacting(RuleBasedStateMachine):
    """Says, finds, pins, forks and compacts; `tenants` and `loop` are set before it runs."""

    tenants: ClassVar[Tenants]
    loop: ClassVar[asyncio.AbstractEventLoop]
    made: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        self.tenant: Tenant = self.await_(self.tenants.new())
        self.number = 0
        self.of_users: set[str] = set()
        self.branches = {"main": Line(0)}
        self.record("main", *OPENING, agent("rival"))

    def await_(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        """Run in the loop of the service."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(60)

    def record(self, branch: str, *events: Json) -> list[int]:
        """Append to a branch; answers the seqs."""
        batch = Batch.model_validate({"conversation_id": "c", "branch_id": branch, "events": events})
        made = self.await_(self.tenant.use.append_events(self.tenant.caller, batch, None))
        self.branches[branch].head = made.head
        return [event["seq"] for event in made.events]

    def new_id(self) -> str:
        self.number += 1
        return f"n{self.number}"

    def pick(self, number: int) -> str:
        return list(self.branches)[number % len(self.branches)]

    # -- steps

    @rule(
        at=st.integers(0, 9),
        by=st.sampled_from(SPEAKERS),
        private=st.booleans(),
        more=st.integers(1, 4),
    )
    def say(self, at: int, by: str, private: bool, more: int) -> None:
        branch = self.pick(at)
        for _ in range(more):
            one = self.new_id()
            text = f"Point {one}: the part {self.number * 7} is in rack {self.number % 5}."
            event = asked(one, text) if by == "mia" else replied(one, text, by=by)
            hidden = private and by == "mia"
            [seq] = self.record(branch, event | ({"visibility": "participant"} if hidden else {}))
            self.branches[branch].said[seq] = one
            if by == "mia":
                self.of_users.add(one)
            if not hidden:
                self.branches[branch].open.add(one)

    @rule(at=st.integers(0, 9), failed=st.booleans())
    def find(self, at: int, failed: bool) -> None:
        branch, one = self.pick(at), self.new_id()
        outcome = {"call_status": "failed", "error": "gone"} if failed else {}
        result = None if failed else {"found": self.number}
        _, seq = self.record(branch, called(one), answered(one, result, **outcome))
        self.branches[branch].noted[seq] = one

    @rule(at=st.integers(0, 9), text=st.sampled_from(PIN_TEXTS))
    def pin(self, at: int, text: str) -> None:
        branch, one = self.pick(at), self.new_id()
        event = {"kind": "pin", "pin_id": one, "pin_kind": "parameter", "participant_id": "mia", "text": text}
        [seq] = self.record(branch, event)
        self.branches[branch].pins[seq] = text

    @precondition(lambda self: len(self.branches) < BRANCHES_MAX)
    @rule(at=st.integers(0, 9), back=st.integers(0, 12))
    def fork(self, at: int, back: int) -> None:
        parent, one = self.pick(at), self.new_id()
        line = self.branches[parent]
        seq = max(4, line.head - back)
        self.branches[one] = line.up_to(seq)
        self.record("main", forked(one, at_seq=seq, parent=parent))

    @precondition(
        lambda self: sum(len(line.compactions) for line in self.branches.values()) < COMPACTIONS_MAX
    )
    @rule(at=st.integers(0, 9), back=st.integers(0, 6), explicit=st.booleans())
    def compact(self, at: int, back: int, explicit: bool) -> None:
        branch = self.pick(at)
        line, place = self.branches[branch], Place("c", branch, None)
        newest = max((seq for seq, one in line.said.items() if one in self.of_users), default=line.head + 1)
        until = max(1, newest - 1 - back)
        asked_for = CompactRequest(place, self.new_id(), until if explicit else None, None if explicit else 0)
        try:
            made = self.await_(self.tenant.use.compact_branch(self.tenant.caller, asked_for))
        except NothingToCompact:
            covered = line.compactions[-1][1] if line.compactions else 0
            assert (until if explicit else newest - 1) <= covered
            return
        Compacting.made += 1
        reached = until if explicit else newest - 1
        line.head = made.seq
        line.compactions.append((made.seq, reached))

    # -- what holds after every step

    @invariant()
    def the_log_holds_what_was_said(self) -> None:
        for branch, line in self.branches.items():
            page = self.transcript(branch, "mia")
            told = {e["seq"]: e["message_id"] for e in page.entries if e["kind"] == "message"}
            assert told == line.said
            marks = [(e["seq"], e["until_seq"]) for e in page.entries if e["kind"] == "compaction"]
            assert marks == line.compactions

    @invariant()
    def every_message_is_verbatim_or_covered_by_one_line(self) -> None:
        for branch, line in self.branches.items():
            until = line.compactions[-1][1] if line.compactions else 0
            window, recalled, history, pins = self.view(branch)
            assert not {one for one in window if one <= until}
            verbatim = window | {one for one in recalled if one > until}
            seen = {seq for seq, one in line.said.items() if one in line.open}
            assert verbatim >= {seq for seq in seen if seq > until}
            behind = [(item["kind"], item["seq"]) for uid in history for item in self.items(branch, uid)]
            assert len(behind) == len(set(behind)), "an item stands behind one line"
            talk = {("Message", seq) for seq in seen if seq <= until}
            found = {("ToolMemory", seq) for seq in line.noted if seq <= until}
            assert set(behind) == talk | found
            for text in line.pins.values():
                assert text in pins

    def transcript(self, branch: str, by: str) -> Page:
        place = Place("c", branch, by)
        return self.await_(self.tenant.use.read_transcript(self.tenant.caller, place, None, LIMIT, NO_TOKEN))[
            1
        ]

    def view(self, branch: str) -> tuple[set[int], set[int], list[str], str]:
        """Seqs of the messages of the window and of recalled ones, uids of lines, the text with the pins."""
        request = AssembleRequest(
            where=Where("c", branch, "agent"),
            provider="local",
            model=None,
            runtime_kind=RuntimeKind.CHAT,
            budget_tokens=UNLIMITED_TOKENS,
            profile="thorough",
            format=Format.CANONICAL,
            tools=(),
            token=NO_TOKEN,
            preview=True,
        )
        made = self.await_(self.tenant.use.assemble_context(self.tenant.caller, request))
        sections = {s.section.value: s for s in made.written.sections}
        spoken = {
            name: {item.seq for item in section.items if item.kind == "message"}
            for name, section in sections.items()
        }
        lines = sections.get("compacted_history")
        pins = sections.get("working_memory")
        return (
            spoken.get("recent_window", set()) | spoken.get("current_exchange", set()),
            spoken.get("recalled_messages", set()),
            [item.uid for item in lines.items] if lines else [],
            pins.text if pins else "",
        )

    def items(self, branch: str, uid: str) -> list[Json]:
        place = Place("c", branch, "agent")
        read = self.tenant.use.read_compaction(self.tenant.caller, place, uid, None, LIMIT, NO_TOKEN)
        return self.await_(read)[1].entries


async def test_views_of_random_conversations_lose_nothing_however_often_they_are_compacted(
    tenants: Tenants,
) -> None:
    Compacting.tenants, Compacting.loop, Compacting.made = tenants, asyncio.get_running_loop(), 0
    lane = settings(
        max_examples=EXAMPLES,
        stateful_step_count=STEPS,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    await asyncio.to_thread(run_state_machine_as_test, Compacting, settings=lane)
    assert Compacting.made >= EXAMPLES
