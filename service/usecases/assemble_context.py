"""Assemble the context for a participant's next model call, and record what was decided."""

from __future__ import annotations

import hashlib
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from service.errors import SourceUnreadable
from service.graph import assemblies
from service.graph.driver import Graph
from service.ids import new_uid
from service.model.caller import Caller
from service.model.chain import canonical
from service.model.consistency import ConsistencyToken
from service.model.policy_settings import PolicySettings, TurnCaps
from service.model.vocabulary import Role, RuntimeKind
from service.storage.blobs import Blobs
from service.text.render import Format, JsonObject
from service.usecases.assembly.choosing import Chooser, Chosen, Wanted, Where
from service.usecases.assembly.plan import Plan
from service.usecases.assembly.record import record_rows
from service.usecases.assembly.sections import Written
from service.usecases.check_turn import TurnUse, read_turn
from service.usecases.resolve_source import Sources

UNCAPPED = TurnCaps()


@dataclass(frozen=True, slots=True)
class AssembleRequest:
    """What a caller asks for. A preview is not recorded; a trace keeps the verdict on every candidate."""

    where: Where
    provider: str
    model: str | None
    runtime_kind: RuntimeKind
    budget_tokens: int
    profile: str | None
    format: Format
    tools: tuple[JsonObject, ...]
    token: ConsistencyToken
    exact: tuple[str, ...] = ()
    question: bool | None = None
    preview: bool = False
    trace: bool = False
    cached: bool = False
    """Mark the static prefix for the provider's prompt cache."""


@dataclass(frozen=True, slots=True)
class Prefix:
    """What a provider's prompt cache can keep: the tool schemas and the system text, which ends with this
    section."""

    section_index: int
    tokens: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Assembled:
    """A context with its arithmetic and its omissions, as recorded."""

    written: Written
    request: JsonObject
    record: dict[str, Any]
    omissions: list[dict[str, Any]]
    token: ConsistencyToken
    prefix: Prefix
    turn: TurnUse | None
    """What the asker has used of the turn; None without a cap."""
    due_compaction_id: str | None
    """Under which id the branch should be compacted now; None where it is not due."""


@dataclass(frozen=True, slots=True)
class AssembleContext:
    """The use case with what it works on."""

    graph: Graph
    blobs: Blobs
    chooser: Chooser

    async def __call__(self, caller: Caller, request: AssembleRequest) -> Assembled:
        """Choose, write and record. Raises NotFound, InvalidRequest, BudgetTooSmall."""
        assembly_uid = new_uid()
        tools, tools_tokens = self.chooser.wanted(request.tools)
        wanted = Wanted(
            provider=request.provider,
            model=request.model,
            runtime_kind=request.runtime_kind,
            budget_tokens=request.budget_tokens,
            profile=request.profile,
            tools=tools,
            tools_tokens=tools_tokens,
            exact=request.exact,
            question=request.question,
        )
        chosen = await self.chooser.choose(
            caller.tenant_id, assembly_uid, request.where, wanted, bookmarks=request.token.bookmarks
        )
        started = time.perf_counter()
        raw = await self._raw(caller.tenant_id, chosen.plan, chosen.asked.governing.policies)
        written = chosen.writer.write(chosen.plan, raw, request.format, request.tools, request.cached)
        rows = record_rows(
            assembly_uid,
            chosen,
            written,
            encoding=self.chooser.tokenizer.encoding_name,
            render_s=time.perf_counter() - started,
            trace=request.trace,
        )
        bookmarks: list[str] = []
        if not request.preview:
            _, bookmarks = await self.graph.write(
                lambda tx: assemblies.record_assembly.none(
                    tx, tenant_id=caller.tenant_id, **rows.parameters()
                )
            )
        scope = chosen.candidates.scope
        token = ConsistencyToken(tuple(bookmarks), scope.branch_ref, scope.lineage.head)
        prefix = _prefix(written, request.tools)
        turn = await self._turn(caller.tenant_id, chosen, request.token)
        due = None if request.preview else _due(chosen)
        return Assembled(written, written.request, rows.assembly, rows.omissions, token, prefix, turn, due)

    async def _turn(self, tenant_id: str, chosen: Chosen, token: ConsistencyToken) -> TurnUse | None:
        caps, scope = chosen.asked.governing.caps, chosen.candidates.scope
        if caps == UNCAPPED:
            return None
        return await self.graph.read(
            lambda tx: read_turn(tx, tenant_id, scope, caps), bookmarks=token.bookmarks
        )

    async def _raw(self, tenant_id: str, planned: Plan, settings: PolicySettings) -> dict[str, str]:
        """Exact results that the plan has let in, read only now: from the blob store or from the graph.

        What cannot be read is counted and left out; its memory says so in its place.
        """
        sources = Sources(self.graph, self.blobs, settings)
        raw: dict[str, str] = {}
        for call in planned.exchange.unseen:
            if call.result_blob is not None:
                with suppress(SourceUnreadable):
                    raw[call.uid] = await sources.read(
                        tenant_id, call.artifact_uid, call.result_blob, call.subject_uids
                    )
        exact = {memory.artifact_uid: memory.uid for memory in planned.exchange.exact}
        if exact:
            rows = await self.graph.read(
                lambda tx: assemblies.read_artifacts.many(tx, tenant_id=tenant_id, uids=list(exact))
            )
            for row in rows:
                blob, people, data = row["result_blob"], row["subject_uids"], row["result"]
                with suppress(SourceUnreadable):
                    if blob:
                        data = await sources.read(tenant_id, row["uid"], blob, people)
                    raw[exact[row["uid"]]] = data or row["error"] or ""
        return raw


def _prefix(written: Written, tools: tuple[JsonObject, ...]) -> Prefix:
    system = [section for section in written.sections if section.role is Role.SYSTEM]
    text = canonical({"system": written.turns[0].text, "tools": list(tools)})
    return Prefix(len(system) - 1, written.prefix_tokens, hashlib.sha256(text.encode()).hexdigest())


def _due(chosen: Chosen) -> str | None:
    """The id of the compaction that is due; the same for all who find the branch in this state."""
    scope, standing = chosen.candidates.scope, chosen.candidates.state.compaction
    until, tokens = (standing.until_seq, standing.transcript_tokens) if standing else (0, 0)
    most = chosen.asked.configuration.compaction.after_tokens
    if most is None or scope.transcript_tokens - tokens <= most or scope.user_seq - 1 <= until:
        return None
    return f"{scope.branch_ref}:{until}"
