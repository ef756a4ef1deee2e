"""`runtime-graph jobs`: maintenance, once or by the clock."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Annotated

import typer
from prometheus_client import start_http_server

from jobs.catalogue import JOBS
from jobs.job import Deps, Job, Report
from jobs.scheduling import keep_running, run_job
from service.cli.console import EXIT_FAILED, console, problems, read_settings
from service.cli.graph import with_graph
from service.clock import SystemClock
from service.graph.driver import Graph
from service.graph.job_leases import list_leases
from service.graph.migrations import migrate
from service.graph.query import Row
from service.settings import Settings
from service.telemetry import configure_logging

app = typer.Typer(help="Maintenance: see what there is, run it once or by the clock.", no_args_is_help=True)


def _known(name: str) -> str:
    if name not in JOBS:
        raise typer.BadParameter(f"there is no such job; there are {', '.join(JOBS)}")
    return name


NameArgument = Annotated[str, typer.Argument(callback=_known, help="A name that `jobs list` shows.")]


def register(main: typer.Typer) -> None:
    """Add the group to the console script."""
    main.add_typer(app, name="jobs")


@app.command("list")
def list_() -> None:
    """Show every job: what it does, when it is due (UTC), and how its newest run ended."""

    async def work(graph: Graph) -> list[Row]:
        return await graph.read(partial(list_leases.many, names=list(JOBS)))

    leases = {row["name"]: row for row in with_graph(read_settings(), work)}
    for name, job in JOBS.items():
        console.print(f"{name}: {(job.__doc__ or '').partition(chr(10))[0]}")
        console.print(f"  due {_due(job)}; {_newest(leases.get(name))}")


@app.command()
def run(
    name: NameArgument,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Change nothing; say what it would do.")] = False,
) -> None:
    """Run one job once, now. Exit code 1 when it found something wrong, failed, or runs elsewhere already."""
    settings = read_settings()

    async def work(graph: Graph) -> Report | None:
        await migrate(graph, SystemClock(), progress=problems.print)
        deps = Deps(graph, SystemClock(), settings)
        return await (JOBS[name].run(deps, dry_run=True) if dry_run else run_job(name, JOBS[name], deps))

    report = with_graph(settings, work)
    if report is None:
        problems.print(f"{name} is being run by another process.")
        raise typer.Exit(EXIT_FAILED)
    console.print(f"{name}: {_told(report)}")
    if not report["sound"]:
        raise typer.Exit(EXIT_FAILED)


@app.command()
def start() -> None:
    """Run every job by its schedule, in the foreground, until Ctrl-C.

    Any number of these may run: a lease in the graph lets one of them run a job for each due time.
    """
    settings = read_settings()
    configure_logging(settings.log_level)

    async def work(graph: Graph) -> None:
        stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        await migrate(graph, SystemClock(), progress=problems.print)
        with _metrics(settings):
            console.print(f"Running {len(JOBS)} jobs by their schedule. Ctrl-C stops it.")
            await keep_running(JOBS, Deps(graph, SystemClock(), settings), stop)

    with_graph(settings, work)
    console.print("Stopped.")


@contextmanager
def _metrics(settings: Settings) -> Iterator[None]:
    """Show this process's metrics while the block runs, where a port is set for them."""
    if settings.jobs_metrics_port is None:
        yield
        return
    server, thread = start_http_server(settings.jobs_metrics_port, settings.host)
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _due(job: Job) -> str:
    if isinstance(job.SCHEDULE, timedelta):
        return f"every {job.SCHEDULE} h"
    return f"by cron {job.SCHEDULE}"


def _newest(lease: Row | None) -> str:
    if lease is None or lease["finished_at"] is None:
        return "no run has ended yet"
    return f"newest run {lease['finished_at']:%Y-%m-%d %H:%M} UTC: {_told(json.loads(lease['report']))}"


def _told(report: Report) -> str:
    """A report in a line, such as `sound, deleted 12`."""
    rest = [
        f"{name} {value if isinstance(value, int | str) else json.dumps(value)}"
        for name, value in report.items()
        if name != "sound" and value not in ([], {})
    ]
    return ", ".join(["sound" if report["sound"] else "not sound", *rest])
