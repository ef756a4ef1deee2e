"""Confidence of answers, and the review of those that a person should look at."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field, StrictFloat, StrictInt, StringConstraints

from service.api.shapes.recording import Answer
from service.model.events import Name, Strict, Text
from service.model.vocabulary import (
    Factor,
    FactorSource,
    FailureClass,
    Feedback,
    PrivacyClass,
    ReviewAction,
    ReviewState,
)

REASON_CHARS_MAX = 2_000
DOCUMENT_CHARS_MAX = 100_000
VERSION_MAX = 2**31
Score = Annotated[StrictFloat, Field(ge=0, le=1, allow_inf_nan=False)]
Reason = Annotated[Text, StringConstraints(min_length=1, max_length=REASON_CHARS_MAX)]
Words = Annotated[Text, StringConstraints(min_length=1, max_length=DOCUMENT_CHARS_MAX)]
ExpectedVersion = Annotated[StrictInt, Field(ge=0, le=VERSION_MAX)]


class ConfidenceBody(Strict):
    """What is known of an answer, each from 0 to 1; it adds to what was given before. What is left out is as
    the answer's assembly counted it."""

    retrieval: Score | None = None
    """The best rank-normalised score of what was searched for the answer."""
    policy: Score | None = None
    """Of what was wanted, the share that no rule barred."""
    completeness: Score | None = None
    """Of what the request names, the share that was covered."""
    memory: Score | None = None
    """Of the memories used, the share that was fresh."""
    feedback: Feedback | None = None


class FactorShown(Answer):
    """What one factor brings to the confidence."""

    factor: Factor
    value: float | None
    """Null where nothing is known of it."""
    weight: float
    """Of the composite. The weights of missing factors go to the others in proportion."""
    source: FactorSource
    explanation: str


class ConfidenceShown(Answer):
    """How sure an answer is, and what is likely wrong with it."""

    composite: float | None
    """Null where nothing is known of any factor."""
    threshold: float
    """The one in force when it was judged."""
    below_threshold: bool
    parts: list[FactorShown]
    feedback: Feedback | None
    failure_class: FailureClass | None
    """Null where nobody need look at it."""
    why: str | None
    judged_at: datetime


class JudgedAnswer(ConfidenceShown):
    """The judgement of one answer."""

    message_id: str
    assembly_id: str | None
    """The context that the answer was given on."""
    candidate_id: str | None
    """Of the learning candidate that it is."""


class ListedCandidate(Answer):
    """A learning candidate in the list."""

    candidate_id: str
    state: ReviewState
    version: int
    """How often it was decided on: what the next decision expects."""
    failure_class: FailureClass
    assignee: str | None
    message_id: str
    """The answer."""
    composite: float | None
    feedback: Feedback | None
    created_at: datetime


class Candidates(Answer):
    """A page of learning candidates, newest first."""

    candidates: list[ListedCandidate]
    next_cursor: str | None
    """Give it as `cursor` for the next page; null where this is the last one."""


class CandidateMessage(Answer):
    """Question or answer of a candidate, as it was recorded."""

    message_id: str
    text: str | None
    """Null where it was erased."""
    privacy_class: PrivacyClass


class DecisionShown(Answer):
    """What a reviewer decided."""

    action: ReviewAction
    reviewer: str
    assignee: str | None = None
    reason: str | None = None
    edits: list[str] = Field(default=[])
    """What was changed before it was approved: question, answer. The words are the document's."""
    version: int
    """The candidate's after it."""
    decided_at: datetime


class CandidateDocument(Answer):
    """The newest version of the document that was made of a candidate."""

    document_id: str
    version: int
    published: bool


class Candidate(Answer):
    """A learning candidate with all that a reviewer needs."""

    candidate_id: str
    state: ReviewState
    version: int
    failure_class: FailureClass
    """As it was captured; `confidence` has what holds by the newest judgement."""
    assignee: str | None
    created_at: datetime
    question: CandidateMessage | None
    """The newest user message before the answer."""
    answer: CandidateMessage | None
    confidence: ConfidenceShown | None
    decisions: list[DecisionShown]
    """Oldest first."""
    document: CandidateDocument | None


class DecisionBody(Strict):
    """Who decides, about which version of the candidate."""

    reviewer: Name
    expected_version: ExpectedVersion
    """As it was read: 409 `version_moved` when somebody else has decided meanwhile."""


class AssignBody(DecisionBody):
    """Who is to look at it."""

    assignee: Name


class ApproveBody(DecisionBody):
    """What to publish: the words as they were recorded, or as they are given here."""

    question: Words | None = None
    answer: Words | None = None
    privacy_class: PrivacyClass | None = None
    """May be stricter than the messages are, never milder."""
    reason: Reason | None = None


class ReasonBody(DecisionBody):
    """Why it is rejected, or looked at again."""

    reason: Reason
