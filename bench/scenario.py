"""A scenario of `bench reduction`: what was recorded, what is asked, what the answer must and must not hold.

The file format is described in bench/scenarios/README.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import Field, TypeAdapter, ValidationError

from service.api.shapes.assembly import AssembleBody
from service.model.chain import canonical
from service.model.events import (
    MAIN_BRANCH,
    Batch,
    ClientId,
    Event,
    ForkEvent,
    MessageEvent,
    OtherPart,
    Strict,
    ToolCallEvent,
    ToolCallPart,
    ToolCallResponsePart,
    ToolResultEvent,
    UtcTime,
)
from service.model.vocabulary import CallStatus

NEAR_CHARS = 240
"""All strings of a fact stand within a stretch of this length, or the fact is not there."""
_EVENT: TypeAdapter[Event] = TypeAdapter(Event)


class BadScenarioError(Exception):
    """A scenario file cannot be used; the message names the file and what is wrong in it."""


class Fact(Strict):
    """Something a context holds or not."""

    fact: str
    """In words, for people."""
    strings: Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]
    """As they must be written, all of them near each other."""
    unless: str | None = None
    """Forbidden facts only: harmless where this stands near, such as the flag on what is stale."""

    def among(self, text: str) -> bool:
        """Whether `text` holds it."""
        return any(
            self.unless is None or self.unless not in text[max(0, start - NEAR_CHARS) : end + NEAR_CHARS]
            for start, end in stretches(text, self.strings)
        )


class Source(Strict):
    """What the scenario is measured against. `legacy_tokens` is the whole replay's size, within 2 %."""

    legacy_tokens: Annotated[int, Field(ge=1)]
    assembled_tokens: Annotated[int, Field(ge=1)]
    reduction: Annotated[float, Field(gt=0, lt=1)]


class Recorded(Strict):
    """An event and the branch it is recorded on."""

    branch_id: ClientId = MAIN_BRANCH
    event: Event


class Scenario(Strict):
    """One file."""

    name: str
    title: str
    now: UtcTime
    """The service's clock while events are recorded and the context is assembled."""
    source: Source
    events: Annotated[list[Recorded], Field(min_length=1)]
    request: AssembleBody
    required: list[Fact]
    forbidden: list[Fact]

    def batches(self) -> Iterator[Batch]:
        """As they are sent: neighbours on the same branch together."""
        for branch_id, group in groupby(self.events, key=lambda one: one.branch_id):
            yield Batch(
                conversation_id=self.request.conversation_id,
                branch_id=branch_id,
                events=[one.event for one in group],
            )

    def replay(self) -> str:
        """The transcript of the branch that asks, whole: messages, calls and results, one after the other."""
        reached = self._lineage(self.request.branch_id, len(self.events))
        return _transcript([self.events[at].event for at in reached])

    def everything(self) -> str:
        """The transcript of all branches."""
        return _transcript([one.event for one in self.events])

    def _lineage(self, branch_id: str, before: int) -> list[int]:
        """Indexes of the events before index `before` that a branch holds; forks are at the parent's head."""
        own = [at for at, one in enumerate(self.events[:before]) if one.branch_id == branch_id]
        for at, one in enumerate(self.events):
            if isinstance(one.event, ForkEvent) and one.event.branch_id == branch_id:
                return [*self._lineage(one.event.parent_branch_id, at), *own]
        return own


def stretches(text: str, strings: Sequence[str]) -> Iterator[tuple[int, int]]:
    """`(start, end)` of every shortest stretch of `text` with all `strings`, none longer than NEAR_CHARS.

    A string that begins or ends with a letter or digit is not found inside a longer word or number.
    """
    found = sorted(
        (match.start(), match.end(), which)
        for which, string in enumerate(strings)
        for match in re.finditer(_bounded(string), text)
    )
    last: dict[int, tuple[int, int]] = {}
    for start, end, which in found:
        last[which] = (start, end)
        if len(last) == len(strings):
            first = min(begin for begin, _ in last.values())
            until = max(stop for _, stop in last.values())
            if until - first <= NEAR_CHARS:
                yield first, until


def _bounded(string: str) -> str:
    before = r"(?<![^\W_])" if string[0].isalnum() else ""
    after = r"(?![^\W_])" if string[-1].isalnum() else ""
    return f"{before}{re.escape(string)}{after}"


def _transcript(events: Sequence[Event]) -> str:
    names: dict[str, str] = {}
    lines: list[str] = []
    for event in events:
        match event:
            case MessageEvent():
                for part in event.parts:
                    lines.append(_part(event.role.value, part, names))
            case ToolCallEvent():
                names[event.call_id] = event.tool_name
                lines.append(f"assistant: {event.tool_name}({_text(event.arguments)})")
            case ToolResultEvent():
                status = event.call_status
                told = "" if status is CallStatus.EXECUTED else f" {status.value}"
                shown = event.error if event.result is None else _text(event.result)
                lines.append(f"tool {names[event.call_id]}{told}: {shown or ''}")
    return "".join(f"{line}\n" for line in lines)


def _part(role: str, part: Any, names: dict[str, str]) -> str:
    match part:
        case ToolCallPart():
            names[part.id] = part.name
            return f"assistant: {part.name}({_text(part.arguments)})"
        case ToolCallResponsePart():
            return f"tool {names[part.id]}: {_text(part.response)}"
        case OtherPart():
            return f"{role}: {part.name} {_text(part.content)}"
        case _:
            return f"{role}: {getattr(part, 'content', None) or getattr(part, 'name', None) or ''}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else canonical(value)


class _Loader(yaml.SafeLoader):
    """YAML without its guesses at dates: a time stays the string it was recorded as."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def read_scenarios(folder: Path) -> list[Scenario]:
    """The scenarios of every `*.yaml` in a folder, by file name. Raises BadScenarioError."""
    paths = sorted(folder.glob("*.yaml"))
    if not paths:
        raise BadScenarioError(f"{folder} has no *.yaml file")
    return [_read(path) for path in paths]


def _read(path: Path) -> Scenario:
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), _Loader)
        data["events"] = [_recorded(one) for one in data["events"]]
        scenario = Scenario.model_validate({"name": path.stem, **data})
    except (yaml.YAMLError, ValidationError, KeyError, TypeError, AttributeError) as error:
        raise BadScenarioError(f"{path.name}: {error}") from error
    said = scenario.everything() + "".join(one.event.model_dump_json() for one in scenario.events)
    for fact in (*scenario.required, *scenario.forbidden):
        unsaid = [string for string in fact.strings if not any(stretches(said, [string]))]
        if len(unsaid) == len(fact.strings):
            raise BadScenarioError(f"{path.name}: no event says anything of the fact “{fact.fact}”")
    return scenario


def _recorded(data: dict[str, Any]) -> Recorded:
    """A file's event is the API's, with the name of its `branch` beside it."""
    event = {name: value for name, value in data.items() if name != "branch"}
    return Recorded(branch_id=data.get("branch", MAIN_BRANCH), event=_EVENT.validate_python(event))
