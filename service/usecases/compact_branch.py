"""Compact a branch: what stands up to a seq becomes lines in the view that contexts are built from.

It is an event of the log. Nothing that it covers is changed, and everything keeps its address.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import structlog

from service.errors import (
    BranchClosed,
    IdTaken,
    InvalidRequest,
    NotFound,
    NothingToCompact,
    RuntimeGraphError,
)
from service.graph import compactions, log
from service.graph.driver import Graph, Transaction
from service.model.caller import Caller
from service.model.compaction import SummarisedItem, SummaryLine
from service.model.configuration import TenantConfiguration
from service.model.consistency import ConsistencyToken
from service.model.events import CompactionBatch, CompactionEvent, RecordedLine
from service.model.vocabulary import Role, Visibility
from service.policies import policy_version
from service.text.summary import closed, folded
from service.usecases.append_events import AppendEvents
from service.usecases.configure_tenant import Configurations
from service.usecases.read_transcript import Opened, Place, open_branch
from service.usecases.summarise_items import Summarise

_log = structlog.get_logger(__name__)
ITEMS_MAX: Final = 2_000
"""Messages, and as many tool memories, that one compaction covers; what is beyond is left to the next one."""
ITEM_CHARS_MAX: Final = 4_000
"""Characters of a message that a summary looks at."""


@dataclass(frozen=True, slots=True)
class CompactRequest:
    """Where, under which id, and how far: up to a seq, or so that so many tokens stay verbatim.

    The place's participant is who compacts; None: the service.
    """

    place: Place
    compaction_id: str
    until_seq: int | None = None
    keep_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Compacted:
    """Where the event of a compaction stands."""

    event_uid: str
    seq: int
    token: ConsistencyToken
    repeated: bool


@dataclass(frozen=True, slots=True)
class _Span:
    """What one compaction reads, in one moment."""

    configuration: TenantConfiguration
    after_seq: int
    until_seq: int
    transcript_tokens: int
    earlier: tuple[SummaryLine, ...]
    items: tuple[SummarisedItem, ...]


@dataclass(frozen=True, slots=True)
class CompactBranch:
    """The use case with what it works on."""

    graph: Graph
    append_events: AppendEvents
    configurations: Configurations
    summarise: Summarise

    async def __call__(self, caller: Caller, request: CompactRequest) -> Compacted:
        """Read, summarise, append. Other writers append meanwhile; the event covers exactly what was read.

        The same id again answers the same. Raises NotFound, InvalidRequest, NothingToCompact, IdTaken,
        BranchClosed, Gone.
        """
        try:
            read = await self.graph.read(lambda tx: self._read(tx, caller.tenant_id, request))
        except NotFound:
            await self.append_events.erased.refuse_conversation(
                self.graph, caller.tenant_id, request.place.conversation_id
            )
            raise
        if isinstance(read, Compacted):
            return read
        summariser, lines = await self.summarise(read.configuration, read.items)
        spoken = any(item.failed is None for item in read.items)
        earlier = [closed(line) for line in read.earlier] if spoken else list(read.earlier)
        event = CompactionEvent(
            kind="compaction",
            compaction_id=request.compaction_id,
            participant_id=request.place.participant_id,
            after_seq=read.after_seq,
            until_seq=read.until_seq,
            transcript_tokens=read.transcript_tokens,
            summariser=summariser,
            policy_version=policy_version(read.configuration.version()),
            lines=[
                _recorded(line)
                for line in folded([*earlier, *lines], read.configuration.compaction.lines_max)
            ],
        )
        batch = CompactionBatch(
            conversation_id=request.place.conversation_id,
            branch_id=request.place.branch_id,
            events=[event],
        )
        try:
            made = await self.append_events(caller, batch, None)
        except IdTaken:
            again = await self.graph.read(lambda tx: self._read(tx, caller.tenant_id, request))
            if isinstance(again, Compacted):
                return again
            raise
        except BranchClosed:
            raise BranchClosed("branch_id") from None
        return Compacted(made.events[0]["uid"], made.head, made.token, made.repeated)

    async def when_due(self, caller: Caller, place: Place, compaction_id: str) -> None:
        """Compact a branch that has grown long; what stands against it is no fault of anybody's request."""
        try:
            await self(caller, CompactRequest(place, compaction_id))
        except RuntimeGraphError as refused:
            _log.info("compaction put off", code=refused.code)

    async def _read(self, tx: Transaction, tenant_id: str, request: CompactRequest) -> _Span | Compacted:
        known = await compactions.find_compaction.one(  # before the head, which then reaches it
            tx, tenant_id=tenant_id, compaction_id=request.compaction_id
        )
        opened = await open_branch(tx, tenant_id, request.place)
        lineage = opened.lineage
        if known is not None:
            if not lineage.holds(known["branch_ref"], known["seq"]):
                raise IdTaken("compaction_id")
            token = ConsistencyToken((), opened.row["branch_ref"], lineage.head)
            return Compacted(known["event_uid"], known["seq"], token, repeated=True)
        configuration = await self.configurations.read(tx, tenant_id, opened.row["active_version"])
        stretches = lineage.parameters()
        found = await compactions.find_standing.many(tx, tenant_id=tenant_id, stretches=stretches)
        standing = next(iter(found), None)
        after = standing["until_seq"] if standing else 0
        until = await self._until(tx, tenant_id, opened, request, configuration)
        if until <= after:
            if await compactions.find_compaction.one(
                tx, tenant_id=tenant_id, compaction_id=request.compaction_id
            ):
                return await self._read(tx, tenant_id, request)  # another made it since the first look
            raise NothingToCompact(after)
        until, items = await _items(tx, tenant_id, opened, after, until)
        lines = tuple(map(compactions.summary_line, standing["lines"])) if standing else ()
        last = lineage.up_to(until).stretches[-1]
        link = await log.read_link.one(tx, tenant_id=tenant_id, branch_ref=last.branch_ref, seq=until)
        assert link is not None, "a branch has an event at every seq"
        return _Span(configuration, after, until, link["transcript_tokens"], lines, items)

    async def _until(
        self,
        tx: Transaction,
        tenant_id: str,
        opened: Opened,
        request: CompactRequest,
        configuration: TenantConfiguration,
    ) -> int:
        """The last seq that may be covered: before the newest user message, which a call is about."""
        kept = configuration.compaction.keep_tokens if request.keep_tokens is None else request.keep_tokens
        found = await compactions.find_span.one(
            tx,
            tenant_id=tenant_id,
            stretches=opened.lineage.parameters(),
            transcript_tokens=opened.row["transcript_tokens"] - kept,
        )
        assert found is not None, "the query answers one row"
        newest = next(iter(found["user_seqs"]), opened.lineage.head + 1) - 1
        if request.until_seq is None:
            return min(newest, next(iter(found["until_seqs"]), 0))
        if request.until_seq > newest:
            problem = f"must come before the newest user message: {newest} at most"
            raise InvalidRequest([{"location": "until_seq", "problem": problem}])
        return request.until_seq


async def _items(
    tx: Transaction, tenant_id: str, opened: Opened, after: int, until: int
) -> tuple[int, tuple[SummarisedItem, ...]]:
    """What contexts may show of a span, oldest first, and how far of it that is."""
    stretches = opened.lineage.up_to(until).after(after).parameters()
    asked = {"tenant_id": tenant_id, "stretches": stretches, "limit": ITEMS_MAX}
    messages = await compactions.list_messages.many(tx, **asked, chars_max=ITEM_CHARS_MAX)
    memories = await compactions.list_memories.many(tx, **asked)
    for full in (messages, memories):
        if len(full) == ITEMS_MAX:
            until = min(until, full[-1]["seq"])
    rows = [row for row in messages if row["role"] != Role.SYSTEM] + memories
    items = [compactions.summarised(row, opened.lineage) for row in rows if row["seq"] <= until]
    shown = [item for item in items if item.audience.visibility is not Visibility.AUDIT]
    return until, tuple(sorted(shown, key=lambda item: item.seq))


def _recorded(line: SummaryLine) -> RecordedLine:
    return RecordedLine(
        line_kind=line.kind,
        text=line.text,
        first_seq=line.first_seq,
        last_seq=line.last_seq,
        item_count=line.item_count,
        participant_uid=line.audience.participant_uid,
        visibility=line.audience.visibility,
        shared_with=list(line.audience.shared_with),
        privacy_class=line.audience.privacy_class,
        subject_uids=list(line.subject_uids),
        item_uids=list(line.item_uids),
        line_uids=list(line.line_uids),
        uid=line.uid,
    )
