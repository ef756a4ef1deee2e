"""A job runs once for each due time among all replicas, never beside itself, and leaves its report."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from served import Rows

from jobs import scheduling
from jobs.catalogue import JOBS
from jobs.job import Deps, Job, Report, Schedule
from jobs.scheduling import due_time, keep_running, run_job, trigger
from service.graph.driver import UNIT_TIMEOUT_S
from service.ids import new_uid

WAIT_S = 30
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LEASE = "MATCH (l:JobLease {name: $name}) RETURN l.owner AS owner, l.report AS report, l.due_at AS due_at"
HELD = "CREATE (:JobLease {name: $name, owner: 'x', expires_at: datetime() + duration({seconds: $s})})"


class Errand:
    """A job of the tests: notes its runs and lasts until it may go on."""

    __doc__ = "Run an errand."
    SCHEDULE: Schedule = "0 12 * * *"

    def __init__(self, error: Exception | None = None) -> None:
        self.name = f"errand-{new_uid()}"
        self.runs: list[datetime] = []
        self.begun, self.go_on = asyncio.Event(), asyncio.Event()
        self.go_on.set()
        self.twice = asyncio.Event()
        self._error = error

    async def run(self, deps: Deps, dry_run: bool) -> Report:
        """Count one run."""
        self.runs.append(due_time(self.SCHEDULE, deps.clock()))
        self.begun.set()
        if len(self.runs) == 2:
            self.twice.set()
        await self.go_on.wait()
        if self._error is not None:
            raise self._error
        return {"sound": True, "runs": len(self.runs)}


async def test_three_replicas_run_a_job_once_for_a_due_time(replicas: list[Deps]) -> None:
    errand = Errand()
    reports = await asyncio.gather(*(run_job(errand.name, errand, deps, NOON) for deps in replicas))
    assert len(errand.runs) == 1
    assert [report for report in reports if report is not None] == [{"sound": True, "runs": 1}]


async def test_the_next_due_time_runs_again_and_an_earlier_one_does_not(deps: Deps) -> None:
    errand = Errand()
    assert await run_job(errand.name, errand, deps, NOON)
    assert await run_job(errand.name, errand, deps, NOON - timedelta(days=1)) is None
    assert await run_job(errand.name, errand, deps, NOON + timedelta(days=1))
    assert len(errand.runs) == 2


async def test_a_job_never_runs_beside_itself_also_when_asked_for(replicas: list[Deps]) -> None:
    errand = Errand()
    errand.go_on.clear()
    one, two, _ = replicas
    running = asyncio.create_task(run_job(errand.name, errand, one, NOON))
    await errand.begun.wait()
    assert await run_job(errand.name, errand, two) is None
    assert await run_job(errand.name, errand, two, NOON + timedelta(days=1)) is None
    errand.go_on.set()
    assert await running
    assert await run_job(errand.name, errand, two), "somebody asks, so the due time does not matter"


@pytest.mark.parametrize(("expires_in_s", "runs"), [(60, 0), (-1, 1)], ids=["running", "died"])
async def test_a_lease_is_taken_over_only_when_its_time_has_ended(
    deps: Deps, expires_in_s: int, runs: int
) -> None:
    errand = Errand()
    held = {"name": errand.name, "s": expires_in_s}
    await deps.graph.write(lambda tx: tx.run(HELD, held))
    await run_job(errand.name, errand, deps, NOON)
    assert len(errand.runs) == runs


async def test_a_run_leaves_its_report_and_no_owner(deps: Deps, rows: Rows) -> None:
    errand = Errand()
    await run_job(errand.name, errand, deps, NOON)
    [lease] = await rows(LEASE, name=errand.name)
    assert lease["owner"] is None
    assert json.loads(lease["report"]) == {"sound": True, "runs": 1}
    assert lease["due_at"].to_native() == NOON


async def test_a_job_that_fails_says_so_without_its_words_and_may_run_again(deps: Deps, rows: Rows) -> None:
    errand = Errand(error=ValueError("what Ada said"))
    assert await run_job(errand.name, errand, deps, NOON) == {"sound": False, "failed": "ValueError"}
    [lease] = await rows(LEASE, name=errand.name)
    assert "Ada" not in lease["report"]
    assert await run_job(errand.name, Errand(), deps)


async def test_a_run_that_takes_too_long_is_ended_and_gives_its_lease_back(
    deps: Deps, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduling, "RUN_TIMEOUT_S", 0.1)
    errand = Errand()
    errand.go_on.clear()
    assert await run_job(errand.name, errand, deps, NOON) == {"sound": False, "failed": "TimeoutError"}
    assert (await rows(LEASE, name=errand.name))[0]["owner"] is None


def test_nothing_of_a_run_goes_on_when_its_lease_has_ended() -> None:
    assert scheduling.RUN_TIMEOUT_S + UNIT_TIMEOUT_S < scheduling.LEASE_S


async def test_an_interrupted_run_gives_its_lease_back(deps: Deps, rows: Rows) -> None:
    errand = Errand()
    errand.go_on.clear()
    running = asyncio.create_task(run_job(errand.name, errand, deps, NOON))
    await errand.begun.wait()
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    [lease] = await rows(LEASE, name=errand.name)
    assert (lease["owner"], json.loads(lease["report"])["failed"]) == (None, "interrupted")


async def test_schedulers_of_three_replicas_run_each_due_time_once(replicas: list[Deps]) -> None:
    errand = Errand()
    errand.SCHEDULE = timedelta(seconds=1)
    async with asyncio.timeout(WAIT_S):
        await asyncio.gather(*(keep_running({errand.name: errand}, deps, errand.twice) for deps in replicas))
    assert len(errand.runs) == len(set(errand.runs)) == 2


async def test_stopping_interrupts_what_runs_and_waits_for_it(replicas: list[Deps], rows: Rows) -> None:
    errand, stop = Errand(), asyncio.Event()
    errand.SCHEDULE = timedelta(seconds=1)
    errand.go_on.clear()
    async with asyncio.timeout(WAIT_S):
        keeping = asyncio.create_task(keep_running({errand.name: errand}, replicas[0], stop))
        await errand.begun.wait()
        stop.set()
        await keeping
    [lease] = await rows(LEASE, name=errand.name)
    assert (lease["owner"], json.loads(lease["report"])["failed"]) == (None, "interrupted")


@pytest.mark.parametrize("name", JOBS)
@pytest.mark.parametrize("late_s", [0, 29])
def test_every_replica_names_the_same_due_time_however_late_it_wakes(name: str, late_s: int) -> None:
    schedule = JOBS[name].SCHEDULE
    due = trigger(schedule).get_next_fire_time(None, datetime(2026, 3, 1, 9, 41, 7, tzinfo=UTC))
    assert due_time(schedule, due + timedelta(seconds=late_s, microseconds=7)) == due


@pytest.mark.parametrize("name", JOBS)
def test_a_job_says_what_it_does_in_its_first_line(name: str) -> None:
    job: Job = JOBS[name]
    assert job.__doc__ and job.__doc__.splitlines()[0].endswith(".")
