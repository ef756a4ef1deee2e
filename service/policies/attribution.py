"""Whose an item is, and what that means for the asking participant: parallel answers, subagents' isolation,
continuations, and how other speakers are named."""

from __future__ import annotations

from dataclasses import dataclass

from service.model.candidates import Governance, MemoryCandidate, MessageCandidate, Speaker
from service.model.verdict import KEEP, Reason, Verdict
from service.model.vocabulary import ParticipantKind, Role, RuntimeKind, Visibility

PARALLEL = Verdict(False, Reason.PARALLEL_TURN)
ISOLATED = Verdict(False, Reason.ISOLATED_FROM_SUBAGENT)
AGENTS = (ParticipantKind.AGENT, ParticipantKind.SUBAGENT)
LATER = Verdict(False, Reason.AFTER_CHECKPOINT)


@dataclass(frozen=True, slots=True)
class Asker:
    """The seat that asks, in which mode, and what was released to it.

    `request_seq` is the seq of the newest message of a human; `checkpoint_seq` that of the checkpoint a
    continuation starts from, None in every other mode.
    """

    uid: str
    kind: ParticipantKind
    runtime_kind: RuntimeKind
    request_seq: int
    released: frozenset[str] = frozenset()
    checkpoint_seq: int | None = None


def judge(uid: str, item: Governance, asker: Asker) -> Verdict:
    """Gate one item: a subagent sees what is its own, shared with it, or said to the whole conversation."""
    if item.participant_uid == asker.uid or uid in asker.released or asker.uid in item.shared_with:
        return KEEP
    if asker.kind is ParticipantKind.SUBAGENT and item.visibility is Visibility.BRANCH:
        return ISOLATED
    return KEEP


def judge_memory(memory: MemoryCandidate, asker: Asker) -> Verdict:
    """Gate one memory; a continuation sees what was found until its checkpoint, and what was released
    since."""
    owned = memory.governance.participant_uid == asker.uid or memory.uid in asker.released
    if not owned and asker.checkpoint_seq is not None and memory.place[0] > asker.checkpoint_seq:
        return LATER
    return judge(memory.uid, memory.governance, asker)


def judge_message(message: MessageCandidate, asker: Asker) -> Verdict:
    """Gate one message.

    Models that answer in parallel do not see each other's answers within the turn. A continuation sees the
    talk as it stood at its checkpoint, and what was released since.
    """
    owned = message.governance.participant_uid == asker.uid or message.uid in asker.released
    if owned:
        return KEEP
    seq = message.place[0]
    answers = message.role is Role.ASSISTANT and seq > asker.request_seq
    if asker.runtime_kind is RuntimeKind.MULTI_MODEL and answers:
        return PARALLEL
    if asker.checkpoint_seq is not None and seq > asker.checkpoint_seq:
        return LATER
    return judge(message.uid, message.governance, asker)


def presented(message: MessageCandidate, asker_uid: str, speakers: dict[str, Speaker]) -> tuple[Role, str]:
    """Role and label under which a message enters: a model never takes another's words for its own.

    The label is empty where nobody could be mistaken: the asker's own words, and a single human's.
    """
    speaker = speakers.get(message.governance.participant_uid)
    if speaker is None:
        return message.role, ""
    if speaker.uid == asker_uid:
        return Role.ASSISTANT if speaker.kind in AGENTS else message.role, ""
    if speaker.kind is ParticipantKind.MODERATOR:
        return Role.USER, f"{speaker.name} (moderator): "
    if message.role is Role.ASSISTANT:
        return Role.USER, f"{speaker.name}: "
    humans = sum(one.kind is ParticipantKind.HUMAN for one in speakers.values())
    return message.role, f"{speaker.name}: " if humans > 1 else ""
