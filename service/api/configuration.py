"""A tenant's configuration: versions that are made, compared, and switched on."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import Field, StrictInt

from service.api.auth import Configurer, Reader, UseCases
from service.api.contract import TENANT_WRITES, documented
from service.api.shapes.recording import Answer
from service.model.configuration import TenantConfiguration
from service.model.events import Name, Strict

router = APIRouter(prefix="/v1/configuration", tags=["configuration"], responses=documented(*TENANT_WRITES))

RECENT_MAX = 50
VERSION_MAX = 2**31
Number = Annotated[int, Path(ge=0, le=VERSION_MAX)]


class NewVersion(Strict):
    """Settings to keep as a version; what is left out has its default."""

    settings: TenantConfiguration
    note: Name | None = None


class Version(Answer):
    """A version's number."""

    version: int


class ListedVersion(Answer):
    """One version in the list."""

    version: int
    configuration_version: str
    """Hash of the settings."""
    note: str | None
    created_at: datetime
    active: bool


class Activation(Strict):
    """Which version the caller takes to be active; 0 where none was switched on."""

    expected_version: Annotated[StrictInt, Field(ge=0, le=VERSION_MAX)]


@router.get("", summary="List the versions")
async def versions(caller: Reader, use: UseCases) -> list[ListedVersion]:
    """Newest first, at most 100. Without a version, the defaults (version 0) govern."""
    return [ListedVersion(**row) for row in await use.configurations.versions(caller)]


@router.post("", status_code=201, summary="Keep a version")
async def create(new: NewVersion, caller: Configurer, use: UseCases) -> Version:
    """Validated and kept; nothing changes until it is switched on."""
    return Version(version=await use.configurations.create(caller, new.settings, new.note))


@router.get("/{version}", summary="Read a version")
async def show(version: Number, caller: Reader, use: UseCases) -> TenantConfiguration:
    """Version 0 is the defaults."""
    return await use.configurations.show(caller, version)


@router.post("/{version}/activate", status_code=200, summary="Switch a version on")
async def activate(version: Number, body: Activation, caller: Configurer, use: UseCases) -> Version:
    """0 switches the defaults on again. 409 where another version than `expected_version` is active. Old
    assemblies keep their explanation."""
    await use.configurations.activate(caller, version, body.expected_version)
    return Version(version=version)


@router.post("/{version}/what-would-change", summary="Replay recent assemblies under a version")
async def what_would_change(
    version: Number,
    caller: Reader,
    use: UseCases,
    recent: Annotated[int, Query(ge=1, le=RECENT_MAX, description="How many assemblies.")] = 10,
) -> dict[str, Any]:
    """For each of the newest assemblies: whether this version would choose otherwise, and what."""
    return await use.replay_assembly.what_would_change(caller, version, recent)
