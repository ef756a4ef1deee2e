"""Read a scenario: YAML in, contract events and questions out. The format is described in README.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

Json = dict[str, Any]
FOLDER = Path(__file__).parent
TIMES = ("stale_after", "occurred_at")


class _Loader(yaml.SafeLoader):
    """YAML without a type of its own for dates: a date in a result is a text, as it is in JSON."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
IDS = {
    "message": "message_id",
    "model_run": "run_id",
    "tool_call": "call_id",
    "tool_result": "call_id",
    "pin": "pin_id",
    "unpin": "pin_id",
    "checkpoint": "checkpoint_id",
    "fork": "branch_id",
    "release": "participant_id",
}
"""Which field of the contract the short word `id` stands for."""


@dataclass(frozen=True)
class Step:
    """Something recorded (`events`), or something asked or done (`when`) with what must hold (`then`)."""

    at: datetime
    branch: str
    events: tuple[Json, ...] = ()
    when: str = ""
    asked: Json | None = None
    then: Json | None = None


@dataclass(frozen=True)
class Story:
    """One scenario. `seats` are participant events, `settings` what the tenant configures."""

    name: str
    title: str
    seats: tuple[Json, ...]
    settings: Json
    steps: tuple[Step, ...]


def stories() -> list[Story]:
    """Every scenario of this folder."""
    return [read(path) for path in sorted(FOLDER.glob("*.yaml"))]


def read(path: Path) -> Story:
    """One scenario; raises where it has a word that the format does not know."""
    text = yaml.load(path.read_text("utf-8"), _Loader)
    unknown = set(text) - {"title", "source", "seats", "providers", "agents", "steps"}
    if unknown:
        raise ValueError(f"{path.name}: unknown {sorted(unknown)}")
    seats = tuple(_seat(name, seat) for name, seat in text["seats"].items())
    kinds = {seat["participant_id"]: seat["participant_kind"] for seat in seats}
    steps = tuple(_steps(text["steps"], kinds))
    settings = {name: text[name] for name in ("providers", "agents") if name in text}
    return Story(path.stem, text["title"], seats, settings, steps)


def _seat(name: str, seat: str | Json) -> Json:
    told = {"kind": seat} if isinstance(seat, str) else dict(seat)
    event: Json = {"kind": "participant", "participant_id": name, "participant_kind": told.pop("kind")}
    if "parent" in told:
        event["parent_participant_id"] = told.pop("parent")
    if event["participant_kind"] == "human":
        event["user_id"] = f"user-{name}"
    return event | told


def _steps(steps: list[Json], kinds: dict[str, str]) -> Iterator[Step]:
    now = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    for step in steps:
        told = dict(step)
        now = datetime.fromisoformat(told.pop("at")) if "at" in told else now
        if "given" in told:
            branch = told.pop("given")
            events = tuple(_event(one, kinds) for one in told.pop("events"))
            yield Step(now, branch, events)
        elif "lose" in told or "restore" in told:
            act = "lose" if "lose" in told else "restore"
            yield Step(now, "main", when=act, asked={"call": told.pop(act)}, then={})
        else:
            asked = dict(told.pop("with", {}))
            yield Step(now, asked.pop("branch", "main"), (), told.pop("when"), asked, told.pop("then"))
        if told:
            raise ValueError(f"unknown words in a step: {sorted(told)}")


def _event(told: Json, kinds: dict[str, str]) -> Json:
    [(kind, fields)] = told.items()
    fields = dict(fields)
    event: Json = {"kind": kind}
    if "id" in fields:
        event[IDS[kind]] = fields.pop("id")
    if "by" in fields:
        event["participant_id"] = fields.pop("by")
    if kind == "message":
        author = event["participant_id"]
        event["role"] = fields.pop("role", "user" if kinds[author] == "human" else "assistant")
        event["parts"] = [{"type": "text", "content": fields.pop("text")}]
    if "tool" in fields:
        event["tool_name"] = fields.pop("tool")
    for name in TIMES:
        if name in fields:
            fields[name] = datetime.fromisoformat(fields[name])
    return event | fields


def wire_json(value: Any) -> Any:
    """The same with times as RFC 3339 texts, as they travel."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, dict):
        return {name: wire_json(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [wire_json(one) for one in value]
    return value
