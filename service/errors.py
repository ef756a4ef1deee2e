"""What can go wrong, as callers see it: one tree, a stable code each, and never a word of what was sent.

Every room may raise these, so this module imports nothing of ours and no framework. `detail` is written by
us from field paths, limits and numbers; ids, texts and values of a request never enter it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, TypedDict

Outcome = Literal["not_committed", "unknown"]


class Problem(TypedDict):
    """One fault of a request: `location` is a field path such as `events[3].run_id`."""

    location: str
    problem: str


class RuntimeGraphError(Exception):
    """Base of the tree. `status` is the HTTP status; `outcome` says what became of a write."""

    code: ClassVar[str] = "internal"
    status: ClassVar[int] = 500
    title: ClassVar[str] = "Something went wrong inside the service"
    outcome: ClassVar[Outcome] = "not_committed"

    def __init__(self, detail: str = "") -> None:
        super().__init__(detail or self.title)
        self.detail = detail or self.title

    def members(self) -> dict[str, Any]:
        """What a problem document says beside type, title, status, detail and code."""
        return {}


class NotFound(RuntimeGraphError):
    """No such thing for this caller; a foreign id answers exactly like a missing one."""

    code = "not_found"
    status = 404
    title = "Not found"

    def __init__(self, what: str) -> None:
        """`what` is a noun of the glossary, such as `branch`."""
        super().__init__(f"There is no such {what}.")


class Gone(RuntimeGraphError):
    """The request names somebody who was erased, or what went with that person; nothing is recorded of it."""

    code = "erased"
    status = 410
    title = "The person was erased"

    def __init__(self, location: str) -> None:
        super().__init__(f"What {location} names was erased, and nothing more is recorded of it.")
        self.location = location

    def members(self) -> dict[str, Any]:
        """Where in the request it stands."""
        return {"location": self.location}


class Conflict(RuntimeGraphError):
    """The write contradicts what is stored."""

    code = "conflict"
    status = 409
    title = "The write contradicts what is stored"


class NothingToCompact(Conflict):
    """A compaction would cover no event that is not covered yet."""

    code = "nothing_to_compact"
    title = "There is nothing to compact"

    def __init__(self, until_seq: int) -> None:
        """`until_seq` is how far the branch is compacted, 0 where it is not."""
        super().__init__(f"The branch is compacted up to {until_seq}, and what is newer stays as it is.")
        self.until_seq = until_seq

    def members(self) -> dict[str, Any]:
        return {"until_seq": self.until_seq}


class HeadMoved(Conflict):
    """The branch's head is not where the client expected it."""

    code = "head_moved"
    title = "The branch has moved on"

    def __init__(self, head: int) -> None:
        super().__init__(f"The branch's head is {head}. Read on from there, or leave expected_head out.")
        self.head = head

    def members(self) -> dict[str, Any]:
        """The head to go on from."""
        return {"head": self.head}


class VersionMoved(Conflict):
    """What is written, such as a working memory, is not at the version where the client expected it."""

    code = "version_moved"
    title = "Somebody else has written meanwhile"

    def __init__(self, location: str, version: int) -> None:
        super().__init__(f"The version that {location} expects is not the newest, which is {version}.")
        self.location = location
        self.version = version

    def members(self) -> dict[str, Any]:
        """Which event expected another version, and the version to go on from."""
        return {"location": self.location, "version": self.version}


class BranchClosed(Conflict):
    """The branch takes no events until it is reopened."""

    code = "branch_closed"
    title = "The branch is closed"

    def __init__(self, location: str) -> None:
        """`location` is that of the first event that finds the branch closed."""
        super().__init__(f"The branch is closed at {location}. Record a reopen event first.")
        self.location = location

    def members(self) -> dict[str, Any]:
        """Which event was refused."""
        return {"location": self.location}


class IdTaken(Conflict):
    """An id that must be new is already used for another thing."""

    code = "id_taken"
    title = "The id is already in use"

    def __init__(self, location: str) -> None:
        super().__init__(f"The id at {location} is already in use.")
        self.location = location

    def members(self) -> dict[str, Any]:
        """Where in the request the id stands."""
        return {"location": self.location}


class ConstraintBroken(Conflict):
    """A uniqueness constraint refused a write; use cases turn it into what it means for the caller."""

    code = "constraint_broken"

    def __init__(self, constraint: str) -> None:
        super().__init__(f"The constraint {constraint} refused the write.")
        self.constraint = constraint


class IdempotencyKeyReused(RuntimeGraphError):
    """The key was used before, with another body."""

    code = "idempotency_key_reused"
    status = 422
    title = "The idempotency key was used for another request"


class InvalidRequest(RuntimeGraphError):
    """The request breaks the contract; `errors` says where and how, without quoting it."""

    code = "invalid_request"
    status = 422
    title = "The request breaks the contract"

    def __init__(self, errors: Sequence[Problem]) -> None:
        super().__init__("; ".join(f"{error['location']}: {error['problem']}" for error in errors))
        self.errors = list(errors)

    def members(self) -> dict[str, Any]:
        """Every fault with its place."""
        return {"errors": self.errors}


class UnknownReference(RuntimeGraphError):
    """A field names a thing that this tenant does not have, or not there."""

    code = "unknown_reference"
    status = 422
    title = "The request names something that does not exist"

    def __init__(self, location: str) -> None:
        super().__init__(f"The id at {location} names nothing that exists here.")
        self.location = location

    def members(self) -> dict[str, Any]:
        """Where in the request the reference stands."""
        return {"location": self.location}


class BudgetTooSmall(RuntimeGraphError):
    """What must enter a context does not fit its budget."""

    code = "budget_too_small"
    status = 422
    title = "What must enter does not fit the budget"

    def __init__(self, needed_tokens: int, what: str, pin_uids: Sequence[str] = ()) -> None:
        """`what` names kinds of items and never their content; `pin_uids` are the pins among them."""
        super().__init__(f"{what} needs a budget of at least {needed_tokens} tokens.")
        self.needed_tokens = needed_tokens
        self.what = what
        self.pin_uids = list(pin_uids)

    def members(self) -> dict[str, Any]:
        """The least budget that works, and what asks for it, the pins by uid."""
        return {"needed_tokens": self.needed_tokens, "what": self.what, "pin_uids": self.pin_uids}


class RehydrationRefused(RuntimeGraphError):
    """Policy does not let these bytes out; nothing was read."""

    code = "rehydration_refused"
    status = 403
    title = "Policy does not let these bytes out"

    def __init__(self, detail: str, reason: str) -> None:
        super().__init__(detail)
        self.reason = reason

    def members(self) -> dict[str, Any]:
        """The rule that said no."""
        return {"reason": self.reason}


class SourceUnreadable(RuntimeGraphError):
    """The stored bytes of a result are not where they were kept, or are damaged."""

    code = "source_unreadable"
    status = 503
    title = "The stored bytes of this result cannot be read"

    def __init__(self, attempts: int, lost: bool) -> None:
        super().__init__()
        self.attempts = attempts
        self.lost = lost

    def members(self) -> dict[str, Any]:
        """How often it was tried, and whether it counts as lost."""
        return {"repair_attempts": self.attempts, "source_lost": self.lost}


class LogRewritten(RuntimeGraphError):
    """The stored log is not the one that was signed: there is no proof. `runtime-graph log verify` says
    where."""

    code = "log_rewritten"
    status = 500
    title = "The stored log is not the one that was signed"


class ResidueFound(RuntimeGraphError):
    """After an erasure something was found that should be gone; the erasure has not ended."""

    code = "residue_found"
    status = 500
    title = "Something that should be gone was found"

    def __init__(self, places: Sequence[str]) -> None:
        """`places` are stores with labels and properties."""
        super().__init__()
        self.places = list(places)

    def members(self) -> dict[str, Any]:
        """Where it was found."""
        return {"places": self.places}


class LimitExceeded(RuntimeGraphError):
    """A stated limit was passed."""

    code = "limit_exceeded"
    status = 413
    title = "A limit was passed"

    def __init__(self, what: str, maximum: int, unit: str) -> None:
        super().__init__(f"{what}: at most {maximum} {unit}.")
        self.maximum = maximum
        self.unit = unit

    def members(self) -> dict[str, Any]:
        """The limit and its unit."""
        return {"maximum": self.maximum, "unit": self.unit}


class Unauthorized(RuntimeGraphError):
    """No credential, or none that is known."""

    code = "unauthorized"
    status = 401
    title = "A valid API key is needed"


class Forbidden(RuntimeGraphError):
    """The credential is known and its scopes do not reach this far."""

    code = "forbidden"
    status = 403
    title = "The API key does not allow this"

    def __init__(self, scope: str) -> None:
        super().__init__(f"The API key needs the scope {scope}.")
        self.scope = scope


class Unavailable(RuntimeGraphError):
    """The graph did not answer in time; nothing was written. Try again."""

    code = "unavailable"
    status = 503
    title = "The graph is not available"


class ErasuresToReplay(RuntimeGraphError):
    """The database was restored from an older copy and holds people who were erased since."""

    code = "erasures_to_replay"
    status = 503
    title = "The database has erasures to carry out again"

    def __init__(self, count: int) -> None:
        super().__init__(
            f"The database is older than the ledger by {count} erasures: it was restored from an older copy. "
            "Nothing is served until the operator has run `runtime-graph privacy replay`."
        )
        self.count = count


class LedgerUnusable(RuntimeGraphError):
    """The ledger outside the database is missing, cut or changed: what was erased cannot be told."""

    code = "ledger_unusable"
    status = 503
    title = "The ledger of erasures cannot be used"


class KeysElsewhere(RuntimeGraphError):
    """What was asked is sealed under keys that are not here: whoever has them carries it out."""

    code = "keys_elsewhere"
    status = 503
    title = "The keys are elsewhere"


class TimedOut(RuntimeGraphError):
    """The request took longer than it may; nothing was written. Try again."""

    code = "timeout"
    status = 503
    title = "The request took too long"


class TimedOutWriting(TimedOut):
    """The request took longer than it may while a write was under way, which goes on to its end."""

    code = "timeout_writing"
    status = 504
    title = "The request took too long and its write may happen: retry with the same idempotency key"
    outcome = "unknown"


class OutcomeUnknown(RuntimeGraphError):
    """The connection ended during a commit: the write happened whole or not at all."""

    code = "outcome_unknown"
    status = 504
    title = "The outcome of the write is unknown: retry with the same idempotency key"
    outcome = "unknown"
