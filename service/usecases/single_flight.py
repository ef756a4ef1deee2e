"""Ask once for all who ask at the same time: what has grown old under load is read again once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Answer = TypeVar("Answer")


class SingleFlight(Generic[Key, Answer]):
    """Calls for one key that come while another is under way get its answer, or its error."""

    def __init__(self) -> None:
        self._under_way: dict[Key, asyncio.Task[Answer]] = {}

    async def __call__(self, key: Key, ask: Callable[[], Awaitable[Answer]]) -> Answer:
        """The answer of `ask`; one who stops waiting for it leaves the others theirs."""
        asking = self._under_way.get(key)
        if asking is None:
            asking = asyncio.create_task(self._asked(key, ask))
            self._under_way[key] = asking
        return await asyncio.shield(asking)

    async def _asked(self, key: Key, ask: Callable[[], Awaitable[Answer]]) -> Answer:
        try:
            return await ask()
        finally:
            del self._under_way[key]
