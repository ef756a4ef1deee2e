"""Whether the knowledge graph may learn from an answer: what was said to all, mild enough, and asked by a
person."""

from __future__ import annotations

from dataclasses import dataclass

from service.model.knowledge_graph import LEARNABLE, KnowledgeSettings
from service.model.vocabulary import ParticipantKind, PrivacyClass, Role, RunStatus, Visibility

OPEN = (Visibility.BRANCH, Visibility.CONVERSATION)
"""Who may see a text that is learned from."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message as learning sees it; unknown values of a class stand as its strictest."""

    visibility: Visibility
    privacy_class: PrivacyClass
    participant_kind: ParticipantKind


def may_queue(role: Role, has_run: bool, visibility: Visibility, privacy_class: PrivacyClass) -> bool:
    """Whether a message can be an answer to learn from, whatever the tenant's settings are."""
    return role is Role.ASSISTANT and has_run and visibility in OPEN and privacy_class in LEARNABLE


def may_learn(question: Said, answer: Said, run: RunStatus, settings: KnowledgeSettings) -> bool:
    """Whether question and answer become part of the tenant's knowledge."""
    return (
        settings.enabled
        and run is RunStatus.COMPLETED
        and question.participant_kind is ParticipantKind.HUMAN
        and all(_open(said, settings) for said in (question, answer))
    )


def _open(said: Said, settings: KnowledgeSettings) -> bool:
    allowed = LEARNABLE[: LEARNABLE.index(settings.privacy_class_max) + 1]
    return said.visibility in OPEN and said.privacy_class in allowed
