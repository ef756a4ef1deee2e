"""Turns within their caps, and what contexts and runs cost."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field, StrictInt

from service.api.shapes.recording import Answer
from service.model.events import MAIN_BRANCH, ClientId, Strict
from service.usecases.report_costs import GroupBy

Count = Annotated[StrictInt, Field(ge=0, le=2**53)]


class Planned(Strict):
    """What comes next; what is left out counts nothing but the one step."""

    steps: Count = 1
    tool_calls: Count = 0
    output_tokens: Count = 0


class TurnCheckBody(Strict):
    """Who wants to go on where, and with what."""

    conversation_id: ClientId
    branch_id: ClientId = MAIN_BRANCH
    participant_id: ClientId
    planned: Planned = Planned()


class TurnAmounts(Answer):
    """What is capped."""

    steps: int
    """Model runs."""
    tool_calls: int
    output_tokens: int


class TurnLimits(Answer):
    """The same where a cap is set; null where none is."""

    steps: int | None
    tool_calls: int | None
    output_tokens: int | None


class TurnShown(Answer):
    """What a participant has used of a turn, counted from the log."""

    turn_seq: int
    """The user message that the turn began with; 0 without one."""
    caps: TurnLimits
    used: TurnAmounts
    remaining: TurnLimits
    uncounted_runs: int
    """Runs that were recorded without `output_tokens`: they count as steps only."""


class TurnChecked(TurnShown):
    """Whether the turn may go on."""

    allowed: bool
    exceeded: list[str]
    """Of what there would be too much."""
    planned: TurnAmounts
    decision_id: str
    """The same for the same state, plan and configuration; kept as a PolicyDecision."""
    decided_at: datetime
    head: int
    configuration_number: int


class ModelCosts(Answer):
    """What the runs of one model used."""

    model: str | None
    runs: int
    input_tokens: int
    output_tokens: int
    uncounted_runs: int
    cost: float | None
    """Null where the configuration has no price for it."""


class CostGroup(Answer):
    """What contexts and runs of one tenant, agent or conversation cost."""

    name: str
    assemblies: int
    assembled_tokens: int
    """What the contexts cost."""
    full_transcript_tokens: int
    """What whole transcripts would have cost in their place."""
    saved_tokens: int
    prefix_tokens: int
    """Of the contexts, what stood in their static prefix: a provider's prompt cache may take it."""
    runs: int
    input_tokens: int
    """As the provider counted them, and runs were recorded with them."""
    output_tokens: int
    uncounted_runs: int
    """Runs that were recorded without one of the two."""
    unpriced_runs: int
    """Runs of models without a price, which `cost` does not have."""
    cost: float | None
    models: list[ModelCosts]


class CostReport(Answer):
    """A page of sums, in the order of names."""

    group_by: GroupBy
    since: datetime
    until: datetime
    """Not in it any more."""
    currency: str | None
    groups: list[CostGroup]
    next_cursor: str | None
    """Give it as `cursor`, with the same `since`, for the next page; null at the end."""
