"""Assemble the context for a participant's next model call, and record what was decided."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from service.clock import Clock
from service.errors import InvalidRequest
from service.graph import assemblies
from service.graph.driver import Graph
from service.ids import new_uid
from service.model.caller import Caller
from service.model.configuration import TenantConfiguration
from service.model.consistency import ConsistencyToken
from service.model.vocabulary import RuntimeKind
from service.policies import policy_version
from service.policies.packing import PROFILES
from service.storage.blobs import Blobs
from service.text import fence
from service.text.render import Format, JsonObject, render
from service.text.tokens import Tokenizer
from service.usecases.assembly.plan import Plan, plan
from service.usecases.assembly.reading import ReadCandidates
from service.usecases.assembly.record import Timings, record_rows
from service.usecases.assembly.request import Asked
from service.usecases.assembly.writing import Writer, Written

ASSEMBLER_VERSION = "1"


@dataclass(frozen=True, slots=True)
class AssembleRequest:
    """What a caller asks for."""

    conversation_id: str
    branch_id: str
    participant_id: str
    provider: str
    model: str | None
    runtime_kind: RuntimeKind
    budget_tokens: int
    profile: str
    format: Format
    tools: tuple[JsonObject, ...]
    token: ConsistencyToken


@dataclass(frozen=True, slots=True)
class Assembled:
    """A context with its arithmetic and its omissions, as recorded."""

    assembly_id: str
    written: Written
    request: JsonObject
    record: dict[str, Any]
    omissions: list[dict[str, Any]]
    token: ConsistencyToken


@dataclass(frozen=True, slots=True)
class AssembleContext:
    """The use case with what it works on. `secret` keys the fence's markers."""

    graph: Graph
    blobs: Blobs
    tokenizer: Tokenizer
    clock: Clock
    secret: bytes
    configuration: TenantConfiguration

    async def __call__(self, caller: Caller, request: AssembleRequest) -> Assembled:
        """Choose, write and record. Raises NotFound, InvalidRequest, BudgetTooSmall."""
        asked = self._asked(request)
        assembly_uid = new_uid()
        started = time.perf_counter()
        candidates = await self.graph.read(
            ReadCandidates(caller.tenant_id, asked), bookmarks=request.token.bookmarks
        )
        read = time.perf_counter()
        writer = Writer(asked, self.tokenizer, fence.marker(assembly_uid, self.secret))
        planned = plan(asked, candidates, writer.fixed_tokens(), writer.recovery_tokens)
        decided = time.perf_counter()
        raw = await self._raw(caller.tenant_id, planned)
        written = writer.write(planned, raw)
        rendered = render(written.turns, request.format, asked.tools)
        timings = Timings(read - started, decided - read, time.perf_counter() - decided)
        version = policy_version(asked.configuration.version())
        rows = record_rows(
            assembly_uid,
            asked,
            candidates,
            planned,
            written,
            timings,
            policy_version=version,
            assembler_version=ASSEMBLER_VERSION,
            encoding=self.tokenizer.encoding_name,
        )
        _, bookmarks = await self.graph.write(
            lambda tx: assemblies.record_assembly.none(tx, tenant_id=caller.tenant_id, **rows.parameters())
        )
        token = ConsistencyToken(tuple(bookmarks), candidates.scope.branch_ref, candidates.scope.lineage.head)
        return Assembled(assembly_uid, written, rendered, rows.assembly, rows.omissions, token)

    def _asked(self, request: AssembleRequest) -> Asked:
        route = self.configuration.providers.get(request.provider)
        profile = PROFILES.get(request.profile)
        if route is None:
            raise InvalidRequest([{"location": "provider", "problem": _known(self.configuration.providers)}])
        if profile is None:
            raise InvalidRequest([{"location": "profile", "problem": _known(PROFILES)}])
        return Asked(
            conversation_id=request.conversation_id,
            branch_id=request.branch_id,
            participant_id=request.participant_id,
            provider=request.provider,
            route=route,
            model=request.model,
            runtime_kind=request.runtime_kind,
            budget_tokens=request.budget_tokens,
            profile=profile,
            configuration=self.configuration,
            now=self.clock(),
            tools=request.tools,
        )

    async def _raw(self, tenant_id: str, planned: Plan) -> dict[str, str]:
        """Exact results from the blob store, of calls that the plan has already let in."""
        return {
            call.uid: (await self.blobs.get(tenant_id, call.result_blob)).decode()
            for call in planned.exchange.unseen
            if call.result_blob is not None
        }


def _known(names: Sequence[str] | dict[str, Any]) -> str:
    return f"must be one of {', '.join(sorted(names))}"
