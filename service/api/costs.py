"""Cost controls: caps on a turn, and the report of what contexts and runs cost."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from service.api.assemblies import Consistency
from service.api.auth import Assembler, Reader, UseCases
from service.api.branches import Continued
from service.api.contract import TENANT_READS, TENANT_WRITES, documented
from service.api.shapes.cost import CostReport, TurnCheckBody, TurnChecked
from service.model.events import UtcTime
from service.policies.turn_caps import TurnAmounts
from service.usecases.assembly.choosing import Where
from service.usecases.report_costs import GroupBy

router = APIRouter(prefix="/v1", tags=["costs"])

GROUPS_DEFAULT = 100
GROUPS_MAX = 1_000


@router.post("/turns/check", summary="May the turn go on?", responses=documented(*TENANT_WRITES))
async def check(
    body: TurnCheckBody, caller: Assembler, use: UseCases, token: Consistency, response: Response
) -> TurnChecked:
    """Whether the participant may go on as planned, by the caps of its agent profile or of the tenant.

    A turn begins with the newest user message; runs, tool calls and output tokens are counted from the log of
    the branch. Every decision is recorded, once for the same state and plan. Ask before each model call.
    """
    where = Where(body.conversation_id, body.branch_id, body.participant_id)
    planned = TurnAmounts(**body.planned.model_dump())
    told, token = await use.check_turn(caller, where, planned, token)
    response.headers["Consistency-Token"] = token.encode(use.secret)
    return TurnChecked(**told)


@router.get("/costs", summary="What contexts and runs cost", responses=documented(*TENANT_READS))
async def report(
    caller: Reader,
    use: UseCases,
    token: Consistency,
    group_by: GroupBy = GroupBy.TENANT,
    since: Annotated[
        UtcTime | None, Query(description="30 days before `until` where left out; at most 366.")
    ] = None,
    until: Annotated[UtcTime | None, Query(description="Now, where left out.")] = None,
    limit: Annotated[int, Query(ge=1, le=GROUPS_MAX, description="How many of them at most.")] = (
        GROUPS_DEFAULT
    ),
    cursor: Continued = None,
) -> CostReport:
    """Sums of recorded assemblies beside what whole transcripts would have cost, and of the tokens that runs
    were recorded with, priced by the active configuration. An agent is what a participant names as `agent`,
    else its participant id."""
    return CostReport(**await use.report_costs(caller, group_by, since, until, (cursor, limit), token))
