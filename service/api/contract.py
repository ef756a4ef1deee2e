"""What the OpenAPI document says of errors: the statuses of each route, with the codes that may come."""

from __future__ import annotations

from inspect import isclass
from typing import Any

from fastapi import FastAPI
from pydantic import ConfigDict

from service import errors
from service.api.problems import MEDIA_TYPE
from service.api.shapes.recording import Answer
from service.errors import ConstraintBroken, Outcome, RuntimeGraphError

TENANT_READS = (401, 403, 404, 422, 500, 503)
"""Statuses of problems that a read under a tenant's key may answer."""
TENANT_WRITES = (401, 403, 404, 409, 410, 413, 422, 500, 503, 504)
HEALTH = (500, 503)


class ProblemDocument(Answer):
    """RFC 9457. Some codes bring members of their own, such as `head`, `location` or `needed_tokens`."""

    model_config = ConfigDict(extra="allow")

    type: str
    """`urn:runtime-graph:problem:` and the code."""
    title: str
    status: int
    detail: str
    """Field paths, limits and numbers; never anything that was sent."""
    code: str
    """Stable: what a program decides by."""
    outcome: Outcome
    """What became of a write: nothing was written, or that is not known."""


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Responses of a router, by status, with the codes that the error tree has for it."""
    content = {MEDIA_TYPE: {"schema": {"$ref": f"#/components/schemas/{ProblemDocument.__name__}"}}}
    return {status: {"description": _codes(status), "content": content} for status in statuses}


def complete(app: FastAPI) -> None:
    """Add the shape that `documented` refers to."""
    generate = app.openapi

    def openapi() -> dict[str, Any]:
        document = generate()
        schema = ProblemDocument.model_json_schema(ref_template="#/components/schemas/{model}")
        document["components"]["schemas"].setdefault(ProblemDocument.__name__, schema)
        return document

    app.openapi = openapi  # type: ignore[method-assign]


def _codes(status: int) -> str:
    known = [
        kind
        for kind in vars(errors).values()
        if isclass(kind) and issubclass(kind, RuntimeGraphError) and kind is not ConstraintBroken
    ]
    return "; ".join(f"`{kind.code}`: {kind.title}" for kind in known if kind.status == status)
