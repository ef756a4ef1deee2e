"""What assembling asks for and answers."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field, StrictBool, StrictInt

from service.api.shapes.cost import TurnShown
from service.api.shapes.recording import Answer
from service.model.events import MAIN_BRANCH, ClientId, IdList, Name, Strict
from service.model.portable import portable
from service.model.vocabulary import RuntimeKind
from service.text.render import Format

BUDGET_TOKENS_MAX = 10_000_000
TOOLS_MAX = 512
Tool = Annotated[dict[str, Any], AfterValidator(portable)]


class AssembleBody(Strict):
    """For whom, where, for which provider, and within how many tokens."""

    conversation_id: ClientId
    branch_id: ClientId = MAIN_BRANCH
    participant_id: ClientId
    """Who asks: the seat whose model is called next."""
    provider: Name = "openai"
    """A provider route of the tenant's configuration; what it promises decides what may be sent."""
    model: Name | None = None
    runtime_kind: RuntimeKind = RuntimeKind.CHAT
    budget_tokens: Annotated[StrictInt, Field(ge=1, le=BUDGET_TOKENS_MAX)]
    """Bound on the whole context: system text, markers, framing and tool schemas included."""
    profile: Name | None = None
    """How the budget is shared out; left out: the agent's profile, or the tenant's."""
    format: Format = Format.OPENAI_CHAT
    exact: Annotated[IdList, Field(default_factory=list)]
    """Uids of artifacts or memories whose exact results are needed; left out, a stated rule decides."""
    question: StrictBool | None = None
    """Whether the newest request asks a question, so that knowledge is looked for; left out, a stated rule
    decides."""
    preview: StrictBool = False
    """Answer without recording anything."""
    cache: StrictBool = False
    """Mark the end of the static prefix for the provider's prompt cache: `cache_control` on the system block
    of the `anthropic` format. Others need no mark."""
    trace: StrictBool = False
    """Keep the uid of everything that stayed out, and not only of the first ones."""
    tools: Annotated[list[Tool], Field(max_length=TOOLS_MAX, default_factory=list)]
    """Schemas of the tools on offer; they are paid for, and tell which fields matter."""


class ContextItem(Answer):
    """One thing in a section."""

    uid: str
    kind: str
    seq: int
    tokens: int
    why: str


class ContextSection(Answer):
    """A part of the context, as the model reads it."""

    section: str
    role: str
    authoritative: bool
    text: str
    tokens: int
    items: list[ContextItem]


class TokenArithmetic(Answer):
    """What the context costs beside the whole transcript, in tokens of `encoding`."""

    encoding: str
    budget: int
    full_transcript: int
    assembled: int
    saved: int
    saved_share: float


class CachePrefix(Answer):
    """What a prompt cache can keep: as far as a request is the same as the last one, while tools, rules,
    persona and day are."""

    section_index: int
    """The last of `sections` that belongs to it."""
    tokens: int
    """The tool schemas and the system text."""
    sha256: str
    """Of both: equal where the prefix is."""


class Omission(Answer):
    """Why a group of items stayed out. `uids` is capped; `count` is whole."""

    reason: str
    policy: str
    sentence: str
    count: int
    uids: list[str]


class AssembledContext(Answer):
    """A context for the next model call."""

    assembly_id: str | None
    """Null for a preview. Name it in the `model_run` event, and `GET /v1/assemblies/{id}` explains the
    answer."""
    sections: list[ContextSection]
    request: dict[str, Any]
    """The context in the asked format, ready for the provider's client."""
    tokens: TokenArithmetic
    cache_until: CachePrefix
    turn: TurnShown | None
    """What the asker has used of the turn; null where no cap is configured."""
    omissions: list[Omission]
    redacted_count: int
    """Events of the branch, inherited ones too, whose payloads were destroyed: erased, or reworded."""
    policy_version: str
    assembler_version: str
    configuration_version: str
    head: int
    timings_ms: dict[str, float]
    consistency_token: str


class WhyNot(Answer):
    """Why an item was not in an assembly; `included` is true where it was."""

    assembly_id: str
    uid: str
    kind: str
    seq: int
    included: bool
    reason: str | None = None
    policy: str | None = None
    sentence: str | None = None
    what_would_change_it: str | None = None
    settings: Annotated[dict[str, Any], Field(default_factory=dict)]
    """The facts and settings that the rule looked at."""


class ReplayBody(Strict):
    """Under which version of the configuration to choose; left out: the recorded one."""

    configuration_number: Annotated[StrictInt, Field(ge=0, le=2**31)] | None = None


class SectionDiff(Answer):
    """Uids of one section that only one of the two choices has."""

    only_recorded: list[str]
    only_replayed: list[str]


class Replayed(Answer):
    """A recorded choice beside the same choice made again."""

    assembly_id: str
    reproducible: bool
    """False where code, settings or items of the record are gone; `not_reproducible_because` says which."""
    not_reproducible_because: list[str]
    same: bool
    """Whether selection and omissions are equal; where something was erased since, whether all that is left
    was chosen again."""
    erased: list[str]
    """Uids of items that are there no longer: erased since, or out of time. That makes no difference."""
    recorded_policy_version: str
    policy_version: str
    head: int
    configuration_number: int
    diff: dict[str, SectionDiff]
    omissions_recorded: dict[str, int]
    omissions_replayed: dict[str, int]
