"""Whether a result becomes a memory that a model may see, and whether an agent's working memory is one. The
artifact is kept and readable either way.

Decided when a context is chosen, so that another configuration explains itself on what is recorded already.
Every finished result is promoted, except those of tools that the configuration names. A failed call that a
retry still needs is shown all the same: recovery comes first. What is not promoted supersedes nothing.
"""

from __future__ import annotations

from collections.abc import Container

from service.model.candidates import MemoryCandidate
from service.model.policy_settings import PolicySettings, WorkingMemorySettings
from service.model.verdict import KEEP, Reason, Verdict

NOT_PROMOTED = Verdict(Reason.NOT_PROMOTED)
SWITCHED_OFF = Verdict(Reason.SWITCHED_OFF)


def judge(memory: MemoryCandidate, settings: PolicySettings, needed: Container[str]) -> Verdict:
    """Gate one memory; `needed` are uids of failed calls that a retry needs (service.policies.recovery)."""
    return KEEP if settings.of(memory.tool_name).promoted or memory.uid in needed else NOT_PROMOTED


def judge_noted(settings: WorkingMemorySettings) -> Verdict:
    """Gate what the asker has noted down."""
    return KEEP if settings.enabled else SWITCHED_OFF
