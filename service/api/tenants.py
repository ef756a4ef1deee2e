"""Tenants and their keys: operator calls."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import AfterValidator, Field

from service.api.auth import Operator, UseCases
from service.api.contract import TENANT_WRITES, documented
from service.api.shapes.recording import Answer
from service.model.caller import TENANT_SCOPES, Scope
from service.model.events import ClientId, Name, Strict

router = APIRouter(prefix="/v1", tags=["tenants"], responses=documented(*TENANT_WRITES))


class NewTenant(Strict):
    """What a tenant is called; unique."""

    name: Name


def _is_a_tenants(scope: Scope) -> Scope:
    if scope not in TENANT_SCOPES:
        raise ValueError(f"one of {', '.join(TENANT_SCOPES)}")
    return scope


class NewKeyBody(Strict):
    """What a key may do. Keep `privacy` to keys of officers: two of them erase a person."""

    scopes: Annotated[
        list[Annotated[Scope, AfterValidator(_is_a_tenants)]],
        Field(min_length=1, max_length=len(TENANT_SCOPES)),
    ] = Field(default_factory=lambda: list(TENANT_SCOPES))


class TenantKey(Answer):
    """A key, shown this once."""

    tenant_id: str
    key_uid: str
    api_key: str


@router.post("/tenants", status_code=201, summary="Create a tenant with its first API key")
async def create_tenant(new: NewTenant, _: Operator, use: UseCases) -> TenantKey:
    """Needs the operator's key (`RUNTIME_GRAPH_ADMIN_KEY`). The answer's `api_key` is not stored: keep it."""
    made = await use.keys.create_tenant(new.name)
    return TenantKey(tenant_id=made.tenant_id, key_uid=made.key_uid, api_key=made.api_key)


@router.post("/tenants/{name}/keys", status_code=201, summary="Create a further API key for a tenant")
async def create_key(name: Name, _: Operator, use: UseCases, body: NewKeyBody | None = None) -> TenantKey:
    """Needs the operator's key. The answer's `api_key` is not stored: keep it. Without a body it may do all
    that a tenant's key may."""
    made = await use.keys.create_key(name, (body or NewKeyBody()).scopes)
    return TenantKey(tenant_id=made.tenant_id, key_uid=made.key_uid, api_key=made.api_key)


@router.delete("/keys/{key_uid}", status_code=204, summary="Revoke an API key")
async def revoke_key(key_uid: ClientId, _: Operator, use: UseCases) -> None:
    """Needs the operator's key."""
    await use.keys.revoke_key(key_uid)
