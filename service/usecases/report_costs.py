"""Report what contexts cost beside full transcripts, and what runs used, in tokens and in money."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from service.clock import FIRST_TIME, Clock
from service.errors import InvalidRequest
from service.graph import costs
from service.graph.driver import Graph, Transaction
from service.graph.query import Row
from service.model.caller import Caller
from service.model.configuration import PriceSettings
from service.model.consistency import ConsistencyToken
from service.model.paging import RankingCursor
from service.usecases.configure_tenant import DEFAULTS, Configurations

SPAN_DEFAULT: Final = timedelta(days=30)
SPAN_MAX: Final = timedelta(days=366)
PER_TOKENS: Final = 1_000_000
MONEY_DIGITS: Final = 6


class GroupBy(StrEnum):
    """What costs are summed by."""

    TENANT = "tenant"
    AGENT = "agent"
    CONVERSATION = "conversation"


@dataclass(frozen=True, slots=True)
class ReportCosts:
    """The use case."""

    graph: Graph
    clock: Clock
    configurations: Configurations

    async def __call__(
        self,
        caller: Caller,
        group_by: GroupBy,
        since: datetime | None,
        until: datetime | None,
        page: tuple[str | None, int],
        token: ConsistencyToken,
    ) -> dict[str, Any]:
        """A page (cursor, limit) of the sums of a time that ends before `until`, by the prices of today.

        Raises InvalidRequest.
        """
        cursor = RankingCursor.decode(page[0])
        end = cursor.as_of if cursor else until or self.clock()
        start = since or end - min(SPAN_DEFAULT, end - FIRST_TIME)
        if not timedelta() < end - start <= SPAN_MAX:
            problem = f"must lie at most {SPAN_MAX.days} days before `until`"
            raise InvalidRequest([{"location": "since", "problem": problem}])
        offset = cursor.offset if cursor else 0

        async def work(tx: Transaction) -> tuple[list[Row], PriceSettings]:
            found = await costs.sum_costs.many(
                tx,
                tenant_id=caller.tenant_id,
                group_by=group_by,
                since=start,
                until=end,
                skip=offset,
                limit=page[1] + 1,
            )
            active = found[0]["active_version"] if found else DEFAULTS
            return found, (await self.configurations.read(tx, caller.tenant_id, active)).prices

        found, prices = await self.graph.read(work, token.bookmarks)
        more = len(found) > page[1]
        return {
            "group_by": group_by,
            "since": start,
            "until": end,
            "currency": prices.currency,
            "groups": [_told(row, prices) for row in found[: page[1]]],
            "next_cursor": RankingCursor(end, offset + page[1]).encode() if more else None,
        }


def _told(row: Row, prices: PriceSettings) -> dict[str, Any]:
    models = [{**one, "cost": _cost(one, prices)} for one in row["models"]]
    priced = [one for one in models if one["cost"] is not None]
    return {
        "name": row["name"],
        "assemblies": row["assemblies"],
        "assembled_tokens": row["assembled_tokens"],
        "full_transcript_tokens": row["full_transcript_tokens"],
        "saved_tokens": row["full_transcript_tokens"] - row["assembled_tokens"],
        "prefix_tokens": row["prefix_tokens"],
        "runs": _sum(models, "runs"),
        "input_tokens": _sum(models, "input_tokens"),
        "output_tokens": _sum(models, "output_tokens"),
        "uncounted_runs": _sum(models, "uncounted_runs"),
        "unpriced_runs": _sum(models, "runs") - _sum(priced, "runs"),
        "cost": float(sum((Decimal(str(one["cost"])) for one in priced), Decimal())) if priced else None,
        "models": models,
    }


def _sum(rows: Sequence[Row], name: str) -> int:
    return sum(int(row[name]) for row in rows)


def _cost(used: Row, prices: PriceSettings) -> float | None:
    """What the recorded tokens of one model cost; None where it has no price."""
    price = prices.models.get(used["model"] or "")
    if price is None:
        return None
    total = used["input_tokens"] * Decimal(str(price.input_price))
    total += used["output_tokens"] * Decimal(str(price.output_price))
    return float(round(total / PER_TOKENS, MONEY_DIGITS))
