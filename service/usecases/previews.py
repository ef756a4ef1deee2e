"""Previews of what would be destroyed. They go on where they take longer than a request may."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from service.errors import Conflict
from service.model.caller import Caller
from service.model.privacy import Fate
from service.usecases.erasure.people import Row
from service.usecases.privacy_requests import PrivacyRequests

PATIENCE_S: Final = 5.0
"""How long a request waits for its preview."""

Key = tuple[str, str]
Decisions = dict[str, Fate]


@dataclass(frozen=True, slots=True)
class Previews:
    """The use case. A process has at most one preview of a request under way; it ends with the process."""

    requests: PrivacyRequests
    _under_way: dict[Key, tuple[Decisions, asyncio.Task[Row]]] = field(default_factory=dict)
    """Until somebody has its outcome: a failure that nobody waited for is told to who asks next."""

    async def __call__(
        self, caller: Caller, request_id: str, decisions: Mapping[str, Fate] | None = None
    ) -> Row | None:
        """The request with its plan; None: that takes longer, and the request stands at `previewed` when the
        plan is there. Asked again with the same decisions it waits for the same preview.

        Raises what PrivacyRequests.preview raises, and Conflict where one with others is under way.
        """
        key, chosen = (caller.tenant_id, request_id), dict(decisions or {})
        known, task = self._under_way.get(key, (chosen, None))
        if known != chosen:
            if task is not None and not task.done():
                raise Conflict("A preview with other decisions is under way: wait for its plan.")
            task = None
        if task is None:
            task = asyncio.create_task(self.requests.preview(caller, request_id, chosen))
            task.add_done_callback(lambda done: self._note_end(key, done))
            self._under_way[key] = chosen, task
        done, _ = await asyncio.wait({task}, timeout=PATIENCE_S)
        if not done:
            return None
        self._forget(key, task)
        return task.result()

    def _note_end(self, key: Key, task: asyncio.Task[Row]) -> None:
        if task.cancelled() or task.exception() is None:
            self._forget(key, task)

    def _forget(self, key: Key, task: asyncio.Task[Row]) -> None:
        if self._under_way.get(key, (None, None))[1] is task:
            del self._under_way[key]
