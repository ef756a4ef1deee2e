"""What a person may ask for by right, where that stands, and what becomes of what is held."""

from __future__ import annotations

from enum import StrEnum


class PrivacyRequestKind(StrEnum):
    """What a person asks for."""

    ERASURE = "erasure"
    ACCESS = "access"
    PORTABILITY = "portability"
    RESTRICTION = "restriction"
    RECTIFICATION = "rectification"


class PrivacyRequestState(StrEnum):
    """Where a person's request stands, in the words of the Data Rights Protocol."""

    OPEN = "open"
    IN_PROGRESS = "in_progress"
    FULFILLED = "fulfilled"
    DENIED = "denied"
    REVOKED = "revoked"
    EXPIRED = "expired"


class Fate(StrEnum):
    """What becomes of something that holds a person's data, when the person is erased."""

    ERASE = "erase"
    REDACT = "redact"
    DERIVE = "derive"
    KEEP = "keep"


class Window(StrEnum):
    """A place where destroyed bytes may still lie, as a receipt names it."""

    STORE_FILES = "store_files"  # until the space is used again, or the database is rebuilt
    INDEX_FILES = "index_files"  # likewise
    TRANSACTION_LOG = (
        "transaction_log"  # until a file's end and the checkpoint after it, or until it is rebuilt
    )
    NO_FILE_ACCESS = "no_file_access"  # a database of somebody else's: what its files hold cannot be told


class Destruction(StrEnum):
    """What destroys data, as the ledger says it."""

    ERASURE = "erasure"
    RETENTION = "retention"
    OFFBOARDING = "offboarding"
    HOLD_ENDED = "hold_ended"
    RECTIFICATION = "rectification"


class NoticeState(StrEnum):
    """Whether a recipient was told."""

    OPEN = "open"
    SENT = "sent"


class Stage(StrEnum):
    """How far the service has carried a request out."""

    RECEIVED = "received"
    PREVIEWED = "previewed"
    APPROVED = "approved"
    BEGUN = "begun"  # from here on nothing stops it
    DONE = "done"
    REFUSED = "refused"  # denied, revoked or expired


class ExtensionReason(StrEnum):
    """Why an answer takes longer, of the two that the law knows."""

    COMPLEXITY = "complexity"
    NUMBER_OF_REQUESTS = "number_of_requests"


class DenialReason(StrEnum):
    """Why a request is not carried out."""

    IDENTITY_NOT_PROVEN = "identity_not_proven"
    MANIFESTLY_UNFOUNDED = "manifestly_unfounded"
    EXCESSIVE = "excessive"
    LEGAL_OBLIGATION = "legal_obligation"
    LEGAL_CLAIMS = "legal_claims"
