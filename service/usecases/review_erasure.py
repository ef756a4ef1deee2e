"""Show an officer what the plan of an erasure only lists: events of others, and seats of unknown speakers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any

from service.errors import NotFound
from service.graph import erasure
from service.graph.driver import Graph
from service.model.caller import Caller
from service.usecases.privacy_requests import PrivacyRequests


class ListedAs(StrEnum):
    """Why a plan lists an event."""

    REVIEW = "review"
    """It is about the person and others."""
    DECIDED = "decided"
    """The same, and it goes as a whole."""
    MENTION = "mention"
    """It holds a name of the person, and nobody said that it is about the person."""


@dataclass(frozen=True, slots=True)
class ReviewErasure:
    """The use case."""

    graph: Graph
    requests: PrivacyRequests

    async def __call__(
        self, caller: Caller, request_id: str, passed: int, limit: int
    ) -> tuple[list[dict[str, Any]], list[dict[str, Any]], bool]:
        """A page of the events that the newest plan lists, in its order; all seats of unknown speakers; and
        whether there are more events. Raises NotFound where there is no plan."""
        plan = (await self.requests.read(caller, request_id))["plan"]
        if plan is None:
            raise NotFound("plan")
        listed = dict.fromkeys(plan["mentions"], ListedAs.MENTION)
        listed |= dict.fromkeys(plan["review"], ListedAs.REVIEW)
        listed |= dict.fromkeys(plan.get("decided", ()), ListedAs.DECIDED)
        page = sorted(listed)[passed : passed + limit]
        events = await self.graph.read(
            partial(erasure.show_events.many, tenant_id=caller.tenant_id, uids=page)
        )
        shown = [
            {**row, "listed_as": listed[row["event_uid"]], "body": json.loads(row["body"] or "null")}
            for row in events
        ]
        seats = await self.graph.read(
            partial(erasure.show_seats.many, tenant_id=caller.tenant_id, uids=plan["unknown_speakers"])
        )
        return shown, seats, passed + limit < len(listed)
