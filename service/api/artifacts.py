"""Exact bytes of tool artifacts."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field, StrictBool, StrictInt, model_validator

from service.api.auth import Reader, UseCases
from service.api.contract import TENANT_READS, documented
from service.api.shapes.recording import Answer
from service.model.events import MAIN_BRANCH, ClientId, Name, Strict
from service.text.selecting import Selector
from service.usecases.assembly.choosing import Where
from service.usecases.rehydrate_artifact import RehydrateRequest

router = APIRouter(prefix="/v1/artifacts", tags=["artifacts"], responses=documented(*TENANT_READS))

BYTE_BUDGET_DEFAULT = 64 * 1024
BYTE_BUDGET_MAX = 64 * 1024 * 1024
Number = Annotated[StrictInt, Field(ge=0, le=2**40)]


class RehydrateBody(Strict):
    """Which part, for whom, and within how many bytes. At most one selector; none means all."""

    conversation_id: ClientId
    branch_id: ClientId = MAIN_BRANCH
    participant_id: ClientId
    provider: Name = "openai"
    """Where the bytes will go: decides, with the artifact's privacy class, whether they may."""
    json_pointer: Annotated[str, Field(max_length=1024)] | None = None
    """RFC 6901."""
    rows: tuple[Number, Number] | None = None
    """First and last line, counted from 1."""
    heading: StrictBool = False
    """Repeat the first line before the rows."""
    byte_range: tuple[Number, Number] | None = None
    """First byte and number of bytes."""
    byte_budget: Annotated[StrictInt, Field(ge=1, le=BYTE_BUDGET_MAX)] = BYTE_BUDGET_DEFAULT

    @model_validator(mode="after")
    def has_one_selector(self) -> RehydrateBody:
        """Two selectors contradict each other."""
        if sum(part is not None for part in (self.json_pointer, self.rows, self.byte_range)) > 1:
            raise ValueError("at most one of json_pointer, rows and byte_range")
        return self


class Rehydrated(Answer):
    """Exact bytes, with where they come from."""

    artifact_id: str
    call_id: str
    tool_name: str
    tool_version: str | None
    call_status: str
    seq: int | None
    result_sha256: str | None
    """Of the whole result, or of the error where a call failed without one."""
    result_bytes: int | None
    whole: bool
    content: str
    content_bytes: int


@router.post("/{artifact_id}/rehydrate", summary="Exact bytes of a tool's result")
async def rehydrate(artifact_id: str, body: RehydrateBody, caller: Reader, use: UseCases) -> Rehydrated:
    """All of a result or a part of it, to the byte. `artifact_id` is its uid, that of its memory
    (as an assembled context's items have it), or the call's client id.

    Privacy and provider are checked before anything is read: 403 `rehydration_refused` names the rule.
    """
    selector = Selector(body.json_pointer, body.rows, body.heading, body.byte_range)
    where = Where(body.conversation_id, body.branch_id, body.participant_id)
    request = RehydrateRequest(where, body.provider, selector, body.byte_budget)
    return Rehydrated(**await use.rehydrate_artifact(caller, artifact_id, request))
