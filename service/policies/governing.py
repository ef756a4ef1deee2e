"""Which settings govern one assembly: the request's come before the agent's, the agent's before the
tenant's."""

from __future__ import annotations

from dataclasses import dataclass, replace

from service.model.configuration import AgentProfile, TenantConfiguration
from service.model.policy_settings import PolicySettings, TalkSettings, TurnCaps, WorkingMemorySettings
from service.model.vocabulary import ProfileSource
from service.policies.packing import PROFILES, PackingProfile


@dataclass(frozen=True, slots=True)
class Governing:
    """The settings of one assembly, and where its profile comes from."""

    agent: str | None
    """The agent profile that was found; None: the tenant's settings alone."""
    profile: PackingProfile
    profile_source: ProfileSource
    persona: str | None
    policies: PolicySettings
    talk: TalkSettings
    working_memory: WorkingMemorySettings
    caps: TurnCaps


def governing(
    configuration: TenantConfiguration, agent: str | None, profile: PackingProfile | None
) -> Governing:
    """For the agent profile of that name, and the packing profile that the request names."""
    own = configuration.profile_of(agent)
    policies = configuration.policies
    if own.tools:
        policies = policies.model_copy(update={"tools": {**policies.tools, **own.tools}})
    if profile is not None:
        source = ProfileSource.REQUEST
    else:
        source = ProfileSource.AGENT if own.profile else ProfileSource.TENANT
        profile = _tuned(PROFILES[own.profile or configuration.profile], own)
    caps = own.caps.within(configuration.caps)
    persona = configuration.persona if own.persona is None else own.persona
    talk = own.talk or configuration.talk
    return Governing(agent, profile, source, persona, policies, talk, own.working_memory, caps)


def _tuned(profile: PackingProfile, agent: AgentProfile) -> PackingProfile:
    tuned = replace(profile, **agent.packing.model_dump(exclude_none=True))
    excerpt_tokens = min(tuned.unseen_excerpt_tokens, tuned.unseen_tokens_max)
    return replace(tuned, unseen_excerpt_tokens=excerpt_tokens)
