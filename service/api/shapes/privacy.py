"""What people ask for by right, and legal holds."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field, StrictInt, StringConstraints, model_validator

from service.api.shapes.notices import NoticeCounts
from service.api.shapes.recording import Answer
from service.model.events import MAIN_BRANCH, ClientId, Name, Strict, Text, UtcTime
from service.model.events.base import Json
from service.model.privacy import (
    DenialReason,
    ExtensionReason,
    Fate,
    PrivacyRequestKind,
    PrivacyRequestState,
    Stage,
)
from service.usecases.review_erasure import ListedAs

NAMES_MAX = 64
DECISIONS_MAX = 1_000
CORRECTIONS_MAX = 64
FIELDS_MAX = 8
Digest = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]


class WrongEvent(Strict):
    """The event that is wrong, named in one way."""

    uid: ClientId | None = None
    """As recording answered it."""
    message_id: ClientId | None = None
    call_id: ClientId | None = None
    """The call itself, with its arguments."""
    result_of: ClientId | None = None
    """The call whose result is meant."""
    memory_id: ClientId | None = None
    claim_id: ClientId | None = None
    pin_id: ClientId | None = None
    conversation_id: ClientId | None = None
    """With `seq`, and the branch that recorded it."""
    branch_id: ClientId = MAIN_BRANCH
    seq: Annotated[StrictInt, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def is_named_once(self) -> WrongEvent:
        """One name, or a place of two parts."""
        ids = (self.uid, self.message_id, self.call_id, self.result_of, self.memory_id, self.claim_id)
        named = sum(one is not None for one in (*ids, self.pin_id, self.conversation_id))
        if named != 1 or (self.conversation_id is None) != (self.seq is None):
            raise ValueError("an event is named in one way; a place has conversation_id and seq")
        return self


class CorrectionBody(Strict):
    """What an event of the person should say: its words, or some of its fields."""

    event: WrongEvent
    text: Text | None = None
    """In place of all words of a message, pin or claim, or of a user memory's value."""
    fields: Annotated[dict[Name, Json], Field(min_length=1, max_length=FIELDS_MAX)] | None = None
    """By their names in the event: `arguments` of a call, `result` and `error` of a result, `text` and
    `value` of a claim, `fields` of a working memory."""

    @model_validator(mode="after")
    def says_one_thing(self) -> CorrectionBody:
        """Text or fields, not both."""
        if (self.text is None) == (self.fields is None):
            raise ValueError("a correction has either a text or fields")
        return self


class PrivacyRequestBody(Strict):
    """What a person asked for. Making it again with the same `request_id` answers the same."""

    request_id: ClientId
    request_kind: PrivacyRequestKind
    user_id: ClientId
    """The person; who is said to be the same one is meant too."""
    received_at: UtcTime | None = None
    """When it was received: the deadline counts from there. Default: now."""
    names: Annotated[list[Name], Field(max_length=NAMES_MAX)] = Field(default_factory=list)
    """What the person is called in texts, beside ids, aliases and names of seats, which are known. Kept
    sealed until the request ends."""
    corrections: Annotated[list[CorrectionBody], Field(max_length=CORRECTIONS_MAX)] = Field(
        default_factory=list
    )
    """Of a rectification: what is wrong. Kept sealed, outside the graph."""


class PreviewBody(Strict):
    """What is decided on events that hold data of others too, by their uid in `plan.review`."""

    decisions: Annotated[dict[str, Fate], Field(max_length=DECISIONS_MAX)] = Field(default_factory=dict)
    """`erase`: it goes as a whole. `redact`, the default: what the person is called is redacted."""


class ApproveBody(Strict):
    """Of an erasure or a rectification: the digest of the plan that is approved."""

    plan_digest: Digest | None = None


class DenyBody(Strict):
    """Why it is not carried out."""

    reason: DenialReason


class ExtendBody(Strict):
    """Why it takes longer."""

    reason: ExtensionReason


class PlanShown(Answer):
    """What an erasure or a rectification would do. On a quiet system the receipt says the same."""

    counts: dict[str, dict[str, int]]
    """`nodes` by label, `edges` by type, `stores`: blobs with their bytes, data keys, events, names."""
    redacted: int
    """Events that would be told in other words: of an erasure those of others."""
    derived: int
    """Summary lines that would be told again from what is left."""
    review: list[str]
    """Uids of events of others that name the person too; of a rectification, of claims and user memories that
    rest on what is wrong, and stay as they are."""
    review_count: int
    decided: list[str] = Field(default_factory=list)
    """Uids of those that go as a whole, by decision."""
    unknown_speakers: list[str]
    """Uids of human seats beside the person of whom nobody said who they are."""
    mentions: list[str]
    """Uids of events that hold a name of the person and of which nobody said that they are about the person.
    They stay as they are: where the name means the person, rectify them or record whom they are about."""
    mention_count: int
    holds: int
    """Legal holds in force: what they cover is sealed and kept."""
    corrections: str | None = None
    """Of a rectification: the SHA-256 of its corrections."""


class PrivacyRequestShown(Answer):
    """Where a request stands."""

    request_id: str
    uid: str
    """By this the ledger, the receipt and erased events name it."""
    request_kind: PrivacyRequestKind
    state: PrivacyRequestState
    stage: Stage
    """How far the service is: from `begun` on nothing stops it."""
    subject_uids: list[str]
    """The person, by pseudonym; several where users were said to be the same."""
    requested_by: str
    approved_by: str | None
    received_at: datetime
    due_at: datetime
    """One calendar month after it was received, or three where it was extended; a weekend or a holiday rolls
    on to the next working day."""
    overdue: bool
    extension_reason: ExtensionReason | None
    reason: DenialReason | None
    plan_digest: str | None
    plan: PlanShown | None
    receipt: dict[str, Any] | None
    """Signed: `runtime-graph receipt verify` checks it offline."""
    notices: NoticeCounts
    """Recipients of the person's data: see `/v1/privacy-notices`."""
    finished_at: datetime | None


class CorrectionShown(Answer):
    """What an event should say, by the names of its fields."""

    event_uid: str
    changes: dict[str, Any]


class Corrections(Answer):
    """In the order of the request."""

    corrections: list[CorrectionShown]


class ListedEvent(Answer):
    """An event that the plan of an erasure lists."""

    event_uid: str
    listed_as: ListedAs
    conversation_id: str | None
    branch_id: str | None
    seq: int
    kind: str
    at: str
    body: dict[str, Any] | None
    """What was recorded; null where it is destroyed."""


class UnknownSpeaker(Answer):
    """A human's seat of which nobody said who it is."""

    participant_uid: str
    conversation_id: str | None
    participant_id: str | None
    display_name: str | None


class Review(Answer):
    """What an officer looks at before an erasure is approved."""

    events: list[ListedEvent]
    unknown_speakers: list[UnknownSpeaker]
    next_cursor: str | None


class PrivacyRequests(Answer):
    """Soonest due first."""

    requests: list[PrivacyRequestShown]
    next_cursor: str | None


class HoldBody(Strict):
    """A duty to keep what is held of a person."""

    hold_id: ClientId
    user_id: ClientId
    basis: Name
    """The legal basis, such as a section of a law or a file number; no name of a person."""
    expires_at: UtcTime


class HoldShown(Answer):
    """A legal hold."""

    hold_id: str
    uid: str
    subject_uids: list[str]
    basis: str
    created_at: datetime
    expires_at: datetime
    ended_at: datetime | None
    item_count: int
    """Events that an erasure sealed for it; 0 before one."""


class Holds(Answer):
    """Oldest first."""

    holds: list[HoldShown]


class HeldEvents(Answer):
    """What a hold keeps of an erased person."""

    events: list[dict[str, Any]]
