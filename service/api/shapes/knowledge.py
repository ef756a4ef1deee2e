"""Knowledge documents."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from service.api.shapes.learning import ExpectedVersion, Reason, Words
from service.api.shapes.recording import Answer
from service.model.events import IdList, Name, Strict
from service.model.vocabulary import PrivacyClass, ReviewAction


class DocumentBody(Strict):
    """A document as it should be from now on. Every assembly of the tenant may show pieces of it."""

    title: Name
    text: Words
    source: Name | None = None
    """Where it comes from, as readers would look it up."""
    privacy_class: PrivacyClass = PrivacyClass.INTERNAL
    """Decides which providers it may go to."""
    subject_ids: IdList = Field(default=[])
    """The people whose data it holds, by your ids."""
    expected_version: ExpectedVersion | None = None
    """0 for a new document: 409 `version_moved` where the newest is another. Left out: after the newest."""


class DocumentDecisionBody(Strict):
    """Who retracts or restores it, and why."""

    reviewer: Name
    reason: Reason
    expected_version: ExpectedVersion | None = None


class DocumentDecision(Answer):
    """That a version was retracted, or that it restored an earlier one."""

    action: ReviewAction
    reviewer: str
    reason: str | None = None
    decided_at: datetime


class Document(Answer):
    """One version of a document."""

    document_id: str
    version: int
    newest_version: int
    title: str
    text: str
    source: str | None
    privacy_class: PrivacyClass
    published: bool
    """False where it was replaced or retracted: no context has it."""
    created_at: datetime
    ended_at: datetime | None
    candidate_id: str | None
    """The learning candidate that it was made of."""
    message_ids: list[str]
    """Question and answer of that candidate."""
    decisions: list[DocumentDecision]


class ListedDocument(Answer):
    """A document in the list."""

    document_id: str
    version: int
    title: str
    source: str | None
    privacy_class: PrivacyClass
    created_at: datetime
    passage: str | None = None
    """Of a search: the piece that answers best."""
    fit: float | None = None
    """Of a search: how well it does, from 0 to 1."""


class Documents(Answer):
    """A page of published documents: newest first, or of a search best first."""

    documents: list[ListedDocument]
    next_cursor: str | None
    """Give it as `cursor` for the next page; null where this is the last one."""
