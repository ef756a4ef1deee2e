"""Give back exact bytes of a tool artifact: policy first, from metadata; then the read, within a byte
budget."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from service.errors import InvalidRequest, NotFound, RehydrationRefused
from service.graph import assemblies
from service.graph.driver import Graph, Transaction
from service.model.caller import Caller
from service.model.configuration import TenantConfiguration
from service.model.verdict import REASONS, Reason
from service.model.vocabulary import RuntimeKind
from service.policies import attribution, privacy, visibility
from service.policies.attribution import Asker
from service.storage.blobs import Blobs
from service.text.selecting import NoSuchPart, Selector, select
from service.usecases.assembly.choosing import Where, route_of
from service.usecases.assembly.reading import NEWEST, read_scope, read_state
from service.usecases.assembly.request import Scope, State
from service.usecases.configure_tenant import Configurations
from service.usecases.resolve_source import Sources


@dataclass(frozen=True, slots=True)
class RehydrateRequest:
    """Who asks, for which provider, for which part, and how many bytes may come back."""

    where: Where
    provider: str
    selector: Selector
    byte_budget: int


@dataclass(frozen=True, slots=True)
class RehydrateArtifact:
    """The use case with what it works on."""

    graph: Graph
    blobs: Blobs
    configurations: Configurations

    async def __call__(self, caller: Caller, artifact_id: str, request: RehydrateRequest) -> dict[str, Any]:
        """Exact bytes of an artifact, named by its uid or its call's client id.

        Raises NotFound (also for what belongs to others or to other branches), RehydrationRefused,
        SourceUnreadable, InvalidRequest.
        """

        async def work(
            tx: Transaction,
        ) -> tuple[Scope, State, TenantConfiguration, list[dict[str, Any]]]:
            where = (request.where.conversation_id, request.where.branch_id, request.where.participant_id)
            scope, active, _ = await read_scope(tx, caller.tenant_id, where, NEWEST)
            configuration = await self.configurations.read(tx, caller.tenant_id, active)
            state = await read_state(tx, caller.tenant_id, scope, request.where.conversation_id)
            found = await assemblies.find_artifact.many(
                tx,
                tenant_id=caller.tenant_id,
                conversation_uid=scope.conversation_uid,
                stretches=[*scope.lineage.parameters(), *scope.merged.parameters()],
                id=artifact_id,
            )
            return scope, state, configuration, found

        scope, state, configuration, found = await self.graph.read(work)
        artifact = _visible(found, scope, state)
        route = route_of(request.provider, configuration)
        item = assemblies.governance(artifact)
        if not visibility.judge(item, scope.participant_uid).keep:
            raise _refused(Reason.RAW_NOT_RELEASED)
        barred = privacy.judge(item, route).reason
        if barred is not None:
            raise _refused(barred)
        if artifact["result_bytes"] is None:
            raise NotFound("result: the call is not answered yet")
        uid, sources = artifact["uid"], Sources(self.graph, self.blobs, configuration.policies)
        blob = (artifact["result_blob"], artifact["subject_uids"])
        whole = await sources.read(caller.tenant_id, uid, *blob)
        if any(artifact["repair_attempts"]):
            await sources.note(caller.tenant_id, uid, resolved=True)
        return _answer(artifact, whole, request)


def _visible(found: list[dict[str, Any]], scope: Scope, state: State) -> dict[str, Any]:
    """The artifact that this seat may see of those that its branch reaches; the newest where a fork has its
    own."""
    asker = Asker(
        scope.participant_uid, scope.participant_kind, RuntimeKind.CHAT, scope.lineage, state.released
    )
    seen = []
    for artifact in found:
        item = assemblies.governance(artifact)
        released = bool(state.released.intersection(artifact["memory_uids"]))
        if attribution.may_read(artifact["uid"], item, asker, released):
            seen.append(artifact)
    if not seen:
        raise NotFound("artifact")
    return max(seen, key=lambda artifact: artifact["result_seq"] or 0)


def _refused(reason: Reason) -> RehydrationRefused:
    return RehydrationRefused(REASONS[reason].sentence, reason.value)


def _answer(artifact: dict[str, Any], whole: str, request: RehydrateRequest) -> dict[str, Any]:
    try:
        part = select(whole, request.selector)
    except NoSuchPart as missing:
        raise InvalidRequest([{"location": request.selector.named(), "problem": str(missing)}]) from None
    size = len(part.encode())
    if size > request.byte_budget:
        raise InvalidRequest(
            [
                {
                    "location": "byte_budget",
                    "problem": f"the part has {size} bytes: raise the budget, or select less",
                }
            ]
        )
    failed = not artifact["result_bytes"]
    return {
        "artifact_id": artifact["uid"],
        "call_id": artifact["call_id"],
        "tool_name": artifact["tool_name"],
        "tool_version": artifact["tool_version"],
        "call_status": artifact["call_status"],
        "seq": artifact["result_seq"],
        "result_sha256": hashlib.sha256(whole.encode()).hexdigest() if failed else artifact["result_sha256"],
        "result_bytes": len(whole.encode()) if failed else artifact["result_bytes"],
        "whole": part == whole,
        "content": part,
        "content_bytes": size,
    }
