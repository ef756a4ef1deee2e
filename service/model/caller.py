"""Who is asking: what a credential proves."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Scope(StrEnum):
    """What an API key may do."""

    RECORD = "record"
    ASSEMBLE = "assemble"
    READ = "read"
    CONFIGURE = "configure"
    REVIEW = "review"
    """Read and decide on learning candidates, and keep knowledge documents."""
    PRIVACY = "privacy"
    """Make, approve and follow what people ask for by right; set and end legal holds."""
    OPERATE = "operate"
    """Make tenants and keys; held by no tenant's own key."""


TENANT_SCOPES = (
    *(Scope.RECORD, Scope.ASSEMBLE, Scope.READ, Scope.CONFIGURE, Scope.REVIEW),
    Scope.PRIVACY,
)


@dataclass(frozen=True, slots=True)
class Caller:
    """A verified credential: its tenant (empty for an operator) and its scopes."""

    tenant_id: str
    key_uid: str
    scopes: frozenset[Scope]
