"""What a job is: a module with a `SCHEDULE` and an async `run`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol

from service.clock import Clock
from service.graph.driver import Graph
from service.settings import Settings

Report = dict[str, Any]
"""Counts and the service's own ids; `sound` is false where the job found something wrong or could not end."""
Schedule = str | timedelta
"""The five fields of a cron line, in UTC; or an interval of whole seconds, counted from the epoch."""


@dataclass(frozen=True, slots=True)
class Deps:
    """What a job works with."""

    graph: Graph
    clock: Clock
    settings: Settings


class Job(Protocol):
    """A module of this folder. The first line of its docstring is shown to operators."""

    __doc__: str | None

    @property
    def SCHEDULE(self) -> Schedule:
        """When it is due."""
        ...

    async def run(self, deps: Deps, dry_run: bool) -> Report:
        """Do the work, or with `dry_run` change nothing and report what would be done."""
        ...
