"""Tenants that leave."""

from __future__ import annotations

from typing import Any, Literal

from service.api.shapes.privacy import Digest
from service.api.shapes.recording import Answer
from service.model.events import Strict


class OffboardingPlanned(Answer):
    """What would be destroyed with the tenant."""

    tenant_id: str
    nodes: dict[str, int]
    """By label."""
    edges: dict[str, int]
    """By type."""
    data_keys: int
    blobs: int
    blob_bytes: int
    holds: int
    """Legal holds in force: while there is one the tenant stays."""
    plan_digest: str
    """What an approval is for."""


class OffboardingBody(Strict):
    """The digest of the plan that is approved."""

    plan_digest: Digest


class OffboardingShown(Answer):
    """Where a tenant's leaving stands, by the ledger."""

    request_uid: str
    tenant_id: str
    state: Literal["in_progress", "fulfilled"]
    begun_at: str
    receipt: dict[str, Any] | None
    """Signed; null until the tenant has left. `runtime-graph receipt verify` checks it."""
