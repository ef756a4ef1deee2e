"""From a request to a plan: read what the branch held at a moment, and let the policies choose.

Assembling, previewing, replaying and explaining all choose here, so they cannot differ.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from service.clock import Clock
from service.errors import InvalidRequest
from service.graph.driver import Graph, Transaction
from service.model.candidates import MessageCandidate
from service.model.configuration import ProviderRoute, TenantConfiguration
from service.model.vocabulary import RuntimeKind
from service.policies import policy_version
from service.policies.governing import governing
from service.policies.packing import PROFILES
from service.policies.questions import is_question
from service.text import fence
from service.text.render import JsonObject, compact
from service.text.tokens import Tokenizer
from service.usecases.assembly.exchange import newest_request
from service.usecases.assembly.gates import Gates, Omissions
from service.usecases.assembly.plan import Plan, plan, tool_parameters
from service.usecases.assembly.reading import read_candidates, read_going_on, read_scope
from service.usecases.assembly.request import Asked, Candidates, EmbeddedQuery
from service.usecases.assembly.writing import Writer
from service.usecases.configure_tenant import Configurations
from service.usecases.erased_ids import ErasedIds
from service.usecases.recall.forgetting import Forgetting
from service.usecases.recall.shelves import Shelves
from service.usecases.search_knowledge import SearchKnowledge

NAMES_SHOWN_MAX = 10
"""Names that an error lists of those that would do."""


@dataclass(frozen=True, slots=True)
class Where:
    """The branch, by client ids, and the seat that asks."""

    conversation_id: str
    branch_id: str
    participant_id: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """What kind of context: for which provider, how large, tuned how, with which tools on offer."""

    provider: str
    model: str | None
    runtime_kind: RuntimeKind
    budget_tokens: int
    profile: str | None
    """None: the agent's, or the tenant's."""
    tools: dict[str, tuple[str, ...]]
    """Parameter names by tool name."""
    tools_tokens: int
    exact: tuple[str, ...] = ()
    question: bool | None = None
    """Whether the request asks a question; None: by rule."""


@dataclass(frozen=True, slots=True)
class AsOf:
    """A moment of the past to choose at: head, clock and configuration as they were recorded."""

    head: int
    now: datetime
    configuration_number: int


@dataclass(frozen=True, slots=True)
class Chosen:
    """A plan with all that it came from. Durations are in seconds."""

    asked: Asked
    candidates: Candidates
    plan: Plan
    writer: Writer
    graph_s: float
    policy_s: float

    def included(self) -> frozenset[str]:
        """Uids of all that the plan lets in."""
        plan = self.plan
        said = (message.uid for message in (*(one for one, _ in plan.recalled), *plan.window))
        told = (line.uid for line in plan.history)
        noted = (memory.uid for memory, _ in plan.memories)
        layered = (note.uid for note in plan.notes)
        return frozenset((*plan.exchange.uids(), *told, *said, *noted, *layered))

    @property
    def policy_version(self) -> str:
        """The hash of the policies' order, code and settings that chose."""
        return policy_version(self.asked.configuration.version())


@dataclass(frozen=True, slots=True)
class Chooser:
    """Reads and plans. `secret` keys the fence's markers."""

    graph: Graph
    tokenizer: Tokenizer
    clock: Clock
    secret: bytes
    configurations: Configurations
    shelves: Shelves
    search_knowledge: SearchKnowledge
    erased: ErasedIds
    forgetting: Forgetting

    def wanted(self, tools: tuple[JsonObject, ...]) -> tuple[dict[str, tuple[str, ...]], int]:
        """Parameter names of the tools on offer, and what their schemas cost in tokens."""
        named = dict(tool_parameters(tool) for tool in tools)
        return named, self.tokenizer.count(compact(list(tools))) if tools else 0

    async def choose(
        self,
        tenant_id: str,
        assembly_uid: str,
        where: Where,
        wanted: Wanted,
        as_of: AsOf | None = None,
        bookmarks: tuple[str, ...] = (),
    ) -> Chosen:
        """Plan the context. Raises NotFound, Gone, InvalidRequest, BudgetTooSmall."""
        started = time.perf_counter()

        async def work(tx: Transaction) -> tuple[Asked, Candidates]:
            seated = where.conversation_id, where.branch_id, where.participant_id
            if as_of is None:
                scope, active, agent = await read_going_on(tx, tenant_id, seated, self.erased)
            else:
                scope, active, agent = await read_scope(tx, tenant_id, seated, as_of.head)
            self.forgetting.note(tenant_id, scope.erasure_count)
            number = active if as_of is None else as_of.configuration_number
            configuration = await self.configurations.read(tx, tenant_id, number)
            seat = configuration.agent(agent or where.participant_id)
            asked = _asked(wanted, seat, number, configuration, as_of.now if as_of else self.clock())
            candidates = await read_candidates(tx, tenant_id, scope, where.conversation_id, asked.now)
            if asked.governing.talk.top_k:
                talk = await self.shelves.talk(
                    tx, tenant_id, scope.lineage, candidates.messages, scope.erasure_count
                )
                candidates = candidates.with_talk(talk)
            return asked, candidates

        asked, candidates = await self.graph.read(work, bookmarks=bookmarks)
        request = _request(asked, candidates)
        if request is not None:
            candidates = replace(candidates, query=await self._query(request, candidates))
            candidates = await self._with_knowledge(tenant_id, asked, request, candidates, bookmarks)
        read = time.perf_counter()
        writer = Writer(asked, candidates, self.tokenizer, fence.marker(assembly_uid, self.secret))
        planned = plan(asked, candidates, writer)
        return Chosen(asked, candidates, planned, writer, read - started, time.perf_counter() - read)

    async def _with_knowledge(
        self,
        tenant_id: str,
        asked: Asked,
        request: MessageCandidate,
        candidates: Candidates,
        bookmarks: tuple[str, ...],
    ) -> Candidates:
        """With the knowledge that answers to the request, where that asks a question."""
        if not is_question(request.text, asked.question):
            return candidates
        question = request.text, request.governance.privacy_class
        found, searched = await self.search_knowledge.passages(tenant_id, question, asked.now, bookmarks)
        return replace(candidates, passages=found, searched=searched)

    async def _query(self, request: MessageCandidate, candidates: Candidates) -> EmbeddedQuery | None:
        """The request, embedded; None where nothing is searched, or the model is away."""
        if not candidates.talk:
            return None
        vector = await self.shelves.vector(request, candidates.talk)
        return None if vector is None else EmbeddedQuery(request.text, vector, self.shelves.model)


def _request(asked: Asked, candidates: Candidates) -> MessageCandidate | None:
    """The newest message of a user that may enter: what may not asks for nothing either."""
    gates = Gates(asked, candidates, Omissions())
    entering = (message for message in candidates.messages if gates.messages([message]))
    return newest_request(entering, candidates.scope)


def _asked(
    wanted: Wanted, agent: str | None, number: int, configuration: TenantConfiguration, now: datetime
) -> Asked:
    route = route_of(wanted.provider, configuration)
    profile = None if wanted.profile is None else PROFILES.get(wanted.profile)
    if profile is None and wanted.profile is not None:
        raise InvalidRequest([{"location": "profile", "problem": _one_of(PROFILES)}])
    return Asked(
        provider=wanted.provider,
        route=route,
        model=wanted.model,
        runtime_kind=wanted.runtime_kind,
        budget_tokens=wanted.budget_tokens,
        governing=governing(configuration, agent, profile),
        configuration=configuration,
        configuration_number=number,
        now=now,
        tools=wanted.tools,
        tools_tokens=wanted.tools_tokens,
        exact=wanted.exact,
        question=wanted.question,
    )


def route_of(provider: str, configuration: TenantConfiguration) -> ProviderRoute:
    """What is promised about data that goes to a provider. Raises InvalidRequest where nothing is."""
    route = configuration.providers.get(provider)
    if route is None:
        raise InvalidRequest([{"location": "provider", "problem": _one_of(configuration.providers)}])
    return route


def _one_of(names: Mapping[str, object]) -> str:
    shown = ", ".join(sorted(names)[:NAMES_SHOWN_MAX])
    more = len(names) - NAMES_SHOWN_MAX
    return f"must be one of {shown}" + (f" and {more} more" if more > 0 else "")
