"""A person restricted, and no longer, without a request for it."""

from __future__ import annotations

from collections.abc import Sequence

from service.api.services import Services
from service.clock import SystemClock
from service.usecases.hide_people import restrict


async def restricted(use: Services, tenant_id: str, user_uids: Sequence[str]) -> None:
    """Hide people from now on."""
    at = SystemClock()()
    await use.append_events.graph.write(lambda tx: restrict(tx, tenant_id, user_uids, at))


async def restricted_no_more(use: Services, tenant_id: str, user_uids: Sequence[str]) -> None:
    """Show them again."""
    await use.append_events.graph.write(lambda tx: restrict(tx, tenant_id, user_uids, None))
