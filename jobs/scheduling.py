"""Running jobs: one at a time among all replicas by a lease in the graph, and by the clock."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.base import BaseTrigger
from apscheduler.triggers.cron import CronTrigger
from apscheduler.triggers.interval import IntervalTrigger

from jobs.job import Deps, Job, Report, Schedule
from service.errors import RuntimeGraphError
from service.graph.job_leases import give_back_lease, take_lease
from service.ids import new_uid
from service.telemetry import JOB_RUNS

RUN_TIMEOUT_S: Final = 1800
LEASE_S: Final = 1900
"""Above the longest run and one unit of work: nothing of an owner goes on when its lease has ended."""
LATE_S: Final = 30
"""A due time that is missed by more is left out: below a minute, since the due time is read off the clock."""
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

_log = structlog.get_logger(__name__)


async def run_job(name: str, job: Job, deps: Deps, due_at: datetime | None = None) -> Report | None:
    """Run a job under its lease and leave its report there; an error is a report with `failed`.

    None, and nothing was done, when another owner runs it now or took it up for this due time. Without a due
    time (somebody asks for it) only the former counts.
    """
    owner = new_uid()
    taking = partial(take_lease.one, name=name, owner=owner, due_at=due_at, lease_s=LEASE_S)
    taken, _ = await deps.graph.write(taking)
    if taken is None:
        return None
    report: Report = {"sound": False, "failed": "interrupted"}
    try:
        async with asyncio.timeout(RUN_TIMEOUT_S):
            report = await job.run(deps, dry_run=False)
    except Exception as error:
        report["failed"] = type(error).__name__
    finally:
        outcome = "failed" if "failed" in report else "sound" if report["sound"] else "unsound"
        JOB_RUNS.labels(name, outcome).inc()
        await deps.graph.write(
            partial(
                give_back_lease.none,
                name=name,
                owner=owner,
                finished_at=deps.clock(),
                report=json.dumps(report),
            )
        )
    return report


async def keep_running(jobs: Mapping[str, Job], deps: Deps, stop: asyncio.Event) -> None:
    """Run each job whenever it is due, until `stop`; runs that go on then are interrupted and say so."""
    running: set[asyncio.Task[None] | None] = set()

    async def fire(name: str, job: Job) -> None:
        task = asyncio.current_task()
        running.add(task)
        try:
            report = await run_job(name, job, deps, due_time(job.SCHEDULE, deps.clock()))
            if report is not None:
                say = _log.info if report["sound"] else _log.error
                say("job", job=name, report=report)
        except RuntimeGraphError as error:
            _log.error("job without its lease", job=name, error=error.code)
        finally:
            running.discard(task)

    defaults = {"coalesce": True, "max_instances": 1, "misfire_grace_time": LATE_S}
    scheduler = AsyncIOScheduler(timezone=UTC, job_defaults=defaults)
    for name, job in jobs.items():
        scheduler.add_job(fire, trigger(job.SCHEDULE), (name, job), id=name)
    scheduler.start()
    try:
        await stop.wait()
    finally:
        scheduler.shutdown(wait=False)
        await asyncio.gather(*filter(None, running), return_exceptions=True)


def trigger(schedule: Schedule) -> BaseTrigger:
    """The library's form of a schedule."""
    if isinstance(schedule, timedelta):
        seconds = int(schedule.total_seconds())
        return IntervalTrigger(seconds=seconds, start_date=EPOCH, timezone=UTC)
    return CronTrigger.from_crontab(schedule, timezone=UTC)


def due_time(schedule: Schedule, now: datetime) -> datetime:
    """The due time for which a job runs at `now`: the same on every replica, whenever exactly it wakes."""
    if isinstance(schedule, timedelta):
        return now - (now - EPOCH) % schedule
    return now.replace(second=0, microsecond=0)
