"""Settings of the policies: what a tenant, or one kind of agent, sets differently from the defaults.

Everything is decided when a context is chosen, from the version of the configuration that is active then.
"""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, StrictBool, StrictFloat, StrictInt, model_validator

from service.model.events import MEMORY_FIELDS_MAX, Name, Strict
from service.model.vocabulary import Freshness

TOOLS_MAX = 512
STALE_AFTER_MINUTES_MAX = 10 * 366 * 24 * 60
REPAIR_ATTEMPTS_MAX = 3
EXACT_BYTES_MAX = 256 * 1024
CAP_TOKENS_MIN = 40
CAP_TOKENS_MAX = 1_000_000
MEMORY_TOKENS = 500
MEMORY_TOKENS_MAX = 100_000

Weight = Annotated[StrictFloat, Field(ge=0, le=10, allow_inf_nan=False)]
Cap = Annotated[StrictInt, Field(ge=CAP_TOKENS_MIN, le=CAP_TOKENS_MAX)]
Count = Annotated[StrictInt, Field(ge=0, le=2**53)]


class ToolSettings(Strict):
    """How the results of one tool are treated. What a result's own event says comes first."""

    freshness: Freshness | None = None
    """For results recorded as `time_limited`, which is what an event that says nothing becomes."""
    stale_after_minutes: Annotated[StrictInt, Field(ge=1, le=STALE_AFTER_MINUTES_MAX)] | None = None
    """Counted from `observed_at`, for results recorded without `stale_after`."""
    promoted: StrictBool = True
    """False: no context shows a memory of its results; the artifacts stay readable."""
    recheck_tool: Name | None = None
    """The tool that a recheck hint names; left out: the tool itself."""


class ExactSettings(Strict):
    """When exact results enter a context in place of their memories."""

    by_rule: StrictBool = True
    """False: only those that a request names in `exact`."""
    bytes_max: Annotated[StrictInt, Field(ge=0, le=16 * 1024 * 1024)] = EXACT_BYTES_MAX
    """Largest result that enters by itself; 0: none."""


class PolicySettings(Strict):
    """Settings of the policies for a whole tenant."""

    tools: dict[Name, ToolSettings] = Field(default_factory=dict, max_length=TOOLS_MAX)
    """By tool name."""
    repair_attempts_max: Annotated[StrictInt, Field(ge=1, le=100)] = REPAIR_ATTEMPTS_MAX
    """After so many vain attempts to read its source, a memory counts as stale."""
    exact: ExactSettings = ExactSettings()

    def of(self, tool_name: str) -> ToolSettings:
        """One tool's settings."""
        return self.tools.get(tool_name, _UNSET)


class TalkSettings(Strict):
    """How much of what was said an agent is shown."""

    last_messages: Annotated[StrictInt, Field(ge=0, le=256)] | None = None
    """So many messages make the recent window: they come before everything else that may enter. null: as many
    as are worth their room."""
    top_k: Annotated[StrictInt, Field(ge=0, le=1_000)] = 256
    """Most messages, with their neighbours, that the search for what a request is about may bring back, as
    far as the budget goes. 0: none are searched."""
    message_range: Annotated[StrictInt, Field(ge=0, le=10)] = 2
    """Over how many messages before and after it something found leads to its neighbours."""


class WorkingMemorySettings(Strict):
    """What an agent may note down for itself."""

    enabled: StrictBool = True
    """False: nothing is written, and what was written is not shown."""
    fields: Annotated[list[Name], Field(min_length=1, max_length=MEMORY_FIELDS_MAX)] | None = None
    """The template: these fields in this order and no others. Left out: any fields, and a free block."""
    tokens_max: Annotated[StrictInt, Field(ge=CAP_TOKENS_MIN, le=MEMORY_TOKENS_MAX)] = MEMORY_TOKENS
    """Most that it may cost in every context; a write beyond it is refused."""

    @model_validator(mode="after")
    def _names_each_once(self) -> Self:
        if len(set(self.fields or ())) < len(self.fields or ()):
            raise ValueError("fields: each once")
        return self


class TurnCaps(Strict):
    """The most that one participant may have of one turn, which begins with the newest user message."""

    steps_max: Count | None = None
    """Model runs. null, here as below: no cap."""
    tool_calls_max: Count | None = None
    output_tokens_max: Count | None = None
    """Tokens written, as recorded with the runs."""

    def within(self, tenant: TurnCaps) -> TurnCaps:
        """These, and the tenant's where one is left open."""
        return tenant.model_copy(update=self.model_dump(exclude_none=True))


class PackingSettings(Strict):
    """Numbers of a packing profile that an agent has differently; service/policies/packing.py says what each
    does."""

    records_weight: Weight | None = None
    recalled_weight: Weight | None = None
    window_weight: Weight | None = None
    history_weight: Weight | None = None
    thrift: Annotated[StrictFloat, Field(ge=0, le=1000, allow_inf_nan=False)] | None = None
    message_tokens_max: Cap | None = None
    request_tokens_max: Cap | None = None
    unseen_tokens_max: Cap | None = None
    unseen_excerpt_tokens: Cap | None = None
    """Where it is more than `unseen_tokens_max`, that counts."""
    unseen_budget_share: Annotated[StrictFloat, Field(ge=0.05, le=1, allow_inf_nan=False)] | None = None


_UNSET = ToolSettings()
