"""Carry out what people asked for by right and was approved, and go on with what a dead process left."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from jobs.job import Deps, Report
from service.usecases.carry_out_requests import count_waiting
from service.usecases.erasure.custody import custody_of
from service.usecases.erasure.equip import equipped

SCHEDULE: Final = timedelta(minutes=1)


async def run(deps: Deps, dry_run: bool) -> Report:
    """Report how many requests `ended`, how many holds and exports ended whose time was over, and how many
    are `waiting` still: those that could not be carried out make it unsound."""
    privacy = equipped(deps.graph, custody_of(deps.settings), deps.clock, deps.settings.server_secret())
    if dry_run:
        return {"sound": True, "waiting": await count_waiting(deps.graph)}
    holds = await privacy.holds.end_expired()
    ended = await privacy.carrying_out()
    exports = await privacy.exports.end_old()
    waiting = await count_waiting(deps.graph)
    return {
        "sound": not waiting,
        "ended": ended,
        "holds_ended": holds,
        "exports_ended": exports,
        "waiting": waiting,
    }
