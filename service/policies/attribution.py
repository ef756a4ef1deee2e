"""Whose an item is, and what that means for the asking participant: parallel answers, subagents' isolation,
continuations, and how other speakers are named."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from service.model.candidates import Governance, LineCandidate, MemoryCandidate, MessageCandidate, Speaker
from service.model.lineage import Lineage
from service.model.verdict import KEEP, Reason, Verdict
from service.model.vocabulary import ParticipantKind, Role, RuntimeKind, Visibility
from service.policies import visibility

PARALLEL = Verdict(Reason.PARALLEL_TURN)
ISOLATED = Verdict(Reason.ISOLATED_FROM_SUBAGENT)
AGENTS = (ParticipantKind.AGENT, ParticipantKind.SUBAGENT)
LATER = Verdict(Reason.AFTER_CHECKPOINT)


@dataclass(frozen=True, slots=True)
class Moment:
    """A point of the asker's lineage, and when it was recorded."""

    seq: int
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class Asker:
    """The seat that asks, on which lineage and in which mode, and what was released to it.

    `request` is the newest message of a human; `checkpoint` where a continuation starts from, None in every
    other mode.
    """

    uid: str
    kind: ParticipantKind
    runtime_kind: RuntimeKind
    lineage: Lineage
    released: frozenset[str] = frozenset()
    request: Moment | None = None
    checkpoint: Moment | None = None

    def owns(self, uid: str, item: Governance) -> bool:
        """Whether an item is the asker's, by its making or by a release."""
        return item.participant_uid == self.uid or uid in self.released


def judge(uid: str, item: Governance, asker: Asker) -> Verdict:
    """Gate one item: a subagent sees what is its own, shared with it, or said to the whole conversation."""
    if asker.owns(uid, item) or asker.uid in item.shared_with:
        return KEEP
    if asker.kind is ParticipantKind.SUBAGENT and item.visibility is Visibility.BRANCH:
        return ISOLATED
    return KEEP


def may_read(uid: str, item: Governance, asker: Asker, released: bool) -> bool:
    """Whether an item may be read outside a context; `released` where a subagent's end let it out."""
    seen = visibility.judge(item, asker.uid, released).keep
    return seen and (released or judge(uid, item, asker).keep)


def judge_memory(memory: MemoryCandidate, asker: Asker) -> Verdict:
    """Gate one memory; a continuation sees what was found until its checkpoint, and what was released
    since."""
    if asker.owns(memory.uid, memory.governance):
        return KEEP
    if asker.checkpoint is not None and _after(memory, asker.checkpoint, asker.lineage):
        return LATER
    return judge(memory.uid, memory.governance, asker)


def judge_message(message: MessageCandidate, asker: Asker) -> Verdict:
    """Gate one message.

    Models that answer in parallel do not see each other's answers within the turn. A continuation sees the
    talk as it stood at its checkpoint, and what was released since.
    """
    if asker.owns(message.uid, message.governance):
        return KEEP
    answers = asker.runtime_kind is RuntimeKind.MULTI_MODEL and message.role is Role.ASSISTANT
    if answers and (asker.request is None or _after(message, asker.request, asker.lineage)):
        return PARALLEL
    if asker.checkpoint is not None and _after(message, asker.checkpoint, asker.lineage):
        return LATER
    return judge(message.uid, message.governance, asker)


def judge_line(line: LineCandidate, asker: Asker) -> Verdict:
    """Gate one line of a summary, which may hold what others answered up to its newest event."""
    parallel = asker.runtime_kind is RuntimeKind.MULTI_MODEL and not asker.owns(line.uid, line.governance)
    if parallel and (asker.request is None or line.seqs[1] > asker.request.seq):
        return PARALLEL
    return judge(line.uid, line.governance, asker)


def _after(item: MessageCandidate | MemoryCandidate, moment: Moment, lineage: Lineage) -> bool:
    """Whether an item comes after a moment: by its place, or where it is of another branch, whose places say
    nothing here, by not being recorded before."""
    if lineage.holds(item.governance.branch_ref, item.place[0]):
        return item.place[0] > moment.seq
    return item.recorded_at >= moment.recorded_at


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
