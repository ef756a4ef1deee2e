"""Learn beside the answers of this process: right after an append, one tenant after the other."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

import structlog

from service.clock import Clock
from service.errors import RuntimeGraphError
from service.usecases.draw_insights import DrawInsights
from service.usecases.learn_answers import LearnAnswers

DRAW_EVERY: Final = timedelta(minutes=1)
"""Insights rest on all that was asked: they are drawn no more often for one tenant."""
NEVER: Final = datetime.min.replace(tzinfo=UTC)

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class LearnInBackground:
    """At most one task, which works off the queues of the tenants that were noted. The queue is in the graph:
    what an end of the process leaves behind is taken by the job of that name."""

    learn: LearnAnswers
    draw: DrawInsights
    clock: Clock
    _drawn_at: dict[str, datetime] = field(default_factory=dict)
    _noted: dict[str, None] = field(default_factory=dict)
    _task: asyncio.Task[None] | None = None

    async def note(self, tenant_id: str) -> None:
        """A tenant has something to learn from."""
        self._noted[tenant_id] = None
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work(), name="learning")

    async def settled(self) -> None:
        """Wait until everything noted so far was worked off."""
        if self._task is not None:
            await self._task

    async def close(self) -> None:
        """Stop; what is under way in the graph goes on to its end."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _work(self) -> None:
        while self._noted:
            tenant_id = next(iter(self._noted))
            del self._noted[tenant_id]
            try:
                await self.learn(tenant_id)
                if self.clock() - self._drawn_at.get(tenant_id, NEVER) >= DRAW_EVERY:
                    self._drawn_at[tenant_id] = self.clock()
                    await self.draw(tenant_id)
            except RuntimeGraphError as error:
                _log.warning("learning stopped, the job goes on with it", error=error.code)
