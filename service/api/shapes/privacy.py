"""What people ask for by right, and legal holds."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from service.api.shapes.notices import NoticeCounts
from service.api.shapes.recording import Answer
from service.model.events import ClientId, Name, Strict, UtcTime
from service.model.privacy import (
    DenialReason,
    ExtensionReason,
    Fate,
    PrivacyRequestKind,
    PrivacyRequestState,
    Stage,
)

NAMES_MAX = 64
DECISIONS_MAX = 1_000
Digest = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]


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


class PreviewBody(Strict):
    """What is decided on events that hold data of others too, by their uid in `plan.review`."""

    decisions: Annotated[dict[str, Fate], Field(max_length=DECISIONS_MAX)] = Field(default_factory=dict)
    """`erase`: it goes as a whole. `redact`, the default: what the person is called is redacted."""


class ApproveBody(Strict):
    """Of an erasure: the digest of the plan that is approved."""

    plan_digest: Digest | None = None


class DenyBody(Strict):
    """Why it is not carried out."""

    reason: DenialReason


class ExtendBody(Strict):
    """Why it takes longer."""

    reason: ExtensionReason


class PlanShown(Answer):
    """What an erasure would do. On a quiet system the receipt says the same."""

    counts: dict[str, dict[str, int]]
    """`nodes` by label, `edges` by type, `stores`: blobs with their bytes, data keys, events, names."""
    redacted: int
    """Events of others that would be told in other words."""
    derived: int
    """Summary lines that would be told again from what is left."""
    review: list[str]
    """Uids of events of others that name the person too."""
    review_count: int
    unknown_speakers: list[str]
    """Uids of human seats beside the person of whom nobody said who they are."""
    holds: int
    """Legal holds in force: what they cover is sealed and kept."""


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
