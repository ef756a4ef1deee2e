"""What every command shows alike: one console, progress on long work, problems in a line, a clean end."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from pydantic import ValidationError
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from service.embedded import EmbeddedNeo4jError
from service.embedded import Progress as JarProgress
from service.settings import Settings

EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2
EXIT_INTERRUPTED: Final = 130
JARS_PER_LINE: Final = 50

console = Console(highlight=False, markup=False, soft_wrap=True)
problems = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)


def read_settings(**chosen: Any) -> Settings:
    """The settings, a command's options (None: not given) before the environment; a fault is exit code 2."""
    try:
        return Settings(**{name: value for name, value in chosen.items() if value is not None})
    except ValidationError as error:
        for fault in error.errors(include_url=False, include_input=False, include_context=False):
            name = ".".join(map(str, fault["loc"]))
            problems.print(f"Setting {name}: {fault['msg']}" if name else fault["msg"])
        raise SystemExit(EXIT_USAGE) from None


def exit_unless(sound: bool) -> None:
    """End the command with exit code 1 where what it looked at is not sound."""
    if not sound:
        raise SystemExit(EXIT_FAILED)


@contextmanager
def jar_progress() -> Iterator[JarProgress]:
    """A callback for `open_database` that shows jars being fetched, then Neo4j starting."""
    if not problems.is_terminal:
        yield _print_progress
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=problems, transient=True) as shown:
        task = shown.add_task("", visible=False)
        yield lambda ready, total: shown.update(task, description=_step(ready, total), visible=True)


@contextmanager
def copy_progress() -> Iterator[Callable[[int, int], None]]:
    """A callback for (ready, in all) that says so each tenth of the way."""
    told = -1

    def say(ready: int, total: int) -> None:
        nonlocal told
        if ready * 10 // max(total, 1) > told:
            told = ready * 10 // max(total, 1)
            problems.print(f"Copied {ready} of {total}")

    yield say


@contextmanager
def clean_end() -> Iterator[None]:
    """Let SIGTERM end a command as Ctrl-C does, and say a database problem without a traceback."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except EmbeddedNeo4jError as error:
        problems.print(f"The embedded Neo4j: {error}")
        raise SystemExit(EXIT_FAILED) from None
    except KeyboardInterrupt:
        raise SystemExit(EXIT_INTERRUPTED) from None
    finally:
        signal.signal(signal.SIGTERM, before)


def _print_progress(ready: int, total: int) -> None:
    if ready == total or ready % JARS_PER_LINE == 0:
        problems.print(_step(ready, total))


def _step(ready: int, total: int) -> str:
    return "Starting Neo4j" if ready == total else f"Fetching Neo4j's jars: {ready} of {total}"
