"""Errors as RFC 9457 problem documents. Nothing that was sent is ever sent back.

FastAPI's own 422 quotes the offending input, so validation errors are retold here from their type and place
alone.
"""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, get_args

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from service.api.shapes.recording import Answer
from service.errors import InvalidRequest, Problem, RuntimeGraphError
from service.model.configuration import RETAINED
from service.model.events import Part, Strict
from service.model.vocabulary import EventKind
from service.telemetry import WRITES_UNKNOWN

MEDIA_TYPE = "application/problem+json"
ERRORS_SHOWN_MAX = 20
KEY = "[key]"
"""The step that stands for a key of an object where the key itself is wrong."""
UNNAMED = "?"
"""What stands in a place for a name that the sender made up: even a key can say something."""
_SHAPES = frozenset(EventKind) | {
    name for part in get_args(get_args(Part)[0]) for name in get_args(part.model_fields["type"].annotation)
}
_SENTENCES = {
    "missing": "is needed",
    "extra_forbidden": "is not a field of this shape",
    "string_type": "must be a string",
    "string_too_short": "is too short: at least {min_length} characters",
    "string_too_long": "is too long: at most {max_length} characters",
    "string_pattern_mismatch": "does not have the form that is asked for",
    "string_unicode": "is not Unicode text",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "too_long": "has too many items: at most {max_length}",
    "too_short": "has too few items: at least {min_length}",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be a JSON object",
    "model_attributes_type": "must be a JSON object (sent with Content-Type: application/json)",
    "enum": "must be one of {expected}",
    "literal_error": "must be one of {expected}",
    "union_tag_invalid": "must be one of {expected_tags}",
    "union_tag_not_found": "needs the field {discriminator}",
    "json_invalid": "is not valid JSON",
    "timezone_aware": "needs a time zone",
    "datetime_parsing": "is not an RFC 3339 time",
    "datetime_from_date_parsing": "is not an RFC 3339 time",
    "datetime_type": "is not an RFC 3339 time",
}
_log = structlog.get_logger(__name__)


def problem(error: RuntimeGraphError) -> JSONResponse:
    """One error as a problem document, to be sent."""
    if error.outcome == "unknown":
        WRITES_UNKNOWN.inc()
    return JSONResponse(
        {
            "type": f"urn:runtime-graph:problem:{error.code}",
            "title": error.title,
            "status": error.status,
            "detail": error.detail,
            "code": error.code,
            "outcome": error.outcome,
            **error.members(),
        },
        status_code=error.status,
        media_type=MEDIA_TYPE,
        headers={"WWW-Authenticate": "Bearer"} if error.status == 401 else None,
    )


def retell(errors: Sequence[Any]) -> InvalidRequest:
    """Validation errors as places and sentences of our own, without the input."""
    told: list[Problem] = []
    for error in errors[:ERRORS_SHOWN_MAX]:
        kind, context = str(error["type"]), error.get("ctx") or {}
        if kind == "value_error":
            sentence = str(context.get("error", "is not valid"))  # raised by our own shapes, in our own words
        else:
            sentence = _SENTENCES.get(kind, "is not valid").format_map(_Known(context))
        # For bad JSON the step behind `body` is a number of characters and no index.
        path = ("body",) if kind == "json_invalid" else error["loc"]
        told.append({"location": _location(path), "problem": sentence})
    return InvalidRequest(told)


def install(app: FastAPI) -> None:
    """Make every error of the app a problem document."""

    @app.exception_handler(RuntimeGraphError)
    async def ours(_: Request, error: RuntimeGraphError) -> JSONResponse:
        return problem(error)

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        return problem(retell(error.errors()))

    @app.exception_handler(HTTPException)
    async def http(_: Request, error: HTTPException) -> JSONResponse:
        if isinstance(error.__cause__, RuntimeGraphError):  # raised while the framework read the body
            return problem(error.__cause__)
        if error.status_code == 400:
            return problem(InvalidRequest([{"location": "body", "problem": "cannot be read as JSON"}]))
        return problem(_Http(error.status_code))

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> JSONResponse:
        route = getattr(request.scope.get("route"), "path", None)  # not the address: ids are in it
        _log.error("unexpected error", error=type(error).__name__, at=_place(error), route=route)
        return problem(RuntimeGraphError())


def _place(error: BaseException) -> str:
    """Where an error was raised, without its message, which can quote values."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "unknown"


class _Http(RuntimeGraphError):
    """What the framework itself refuses: no such path, no such method."""

    def __init__(self, status: int) -> None:
        self.status = status  # type: ignore[misc]
        self.code = {404: "no_such_path", 405: "method_not_allowed"}.get(status, "refused")  # type: ignore[misc]
        self.title = {404: "No such path", 405: "Method not allowed"}.get(status, "Refused")  # type: ignore[misc]
        super().__init__()


class _Known(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "what the contract says"


@cache
def _names() -> frozenset[str]:
    """The contract's own names: the fields of all that is asked and answered, and the labels of retention."""
    shapes: list[type[BaseModel]] = [Strict, Answer]
    named: set[str] = {*RETAINED}
    for shape in shapes:
        shapes += shape.__subclasses__()
        named |= shape.model_fields.keys()
    return frozenset(named)


def _location(path: Sequence[str | int]) -> str:
    """A path such as `events[3].run_id`, in which only the contract's own names are named.

    Behind an index stands the name of the shape that the item was taken for, which is no step of the request.
    """
    place, *steps = path
    if place == "header":
        return str(steps[0]).title()
    text = ""
    before: str | int = place
    for step in steps if place in ("body", "query", "path") else path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step == KEY or (isinstance(before, int) and step in _SHAPES):
            pass
        else:
            name = step if place != "body" or step in _names() else UNNAMED
            text += f".{name}" if text else name
        before = step
    return text or "body"
