"""The knowledge graph of a tenant: what may be learned, what ages, what is purged."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StrictBool, StrictInt, field_validator

from service.model.events import Strict
from service.model.vocabulary import Label, PrivacyClass, Relationship

DAYS_MAX = 100 * 366


class Durability(StrEnum):
    """Whether a node of the knowledge graph goes when it has grown old."""

    TRANSIENT = "transient"
    DURABLE = "durable"


KNOWLEDGE: dict[Label, Durability] = {
    Label.QUERY: Durability.TRANSIENT,
    Label.RESPONSE: Durability.TRANSIENT,
    Label.INSIGHT: Durability.TRANSIENT,
    Label.PRODUCT: Durability.DURABLE,
    Label.DOCUMENT: Durability.DURABLE,
    Label.BOOKING: Durability.DURABLE,
    Label.COMPETITOR_PRICE: Durability.DURABLE,
    Label.ENTITY_NAME: Durability.DURABLE,
}
"""Every label of the knowledge graph. Users, messages and tool calls stand at its edges."""

DECAYING = (
    *(Relationship.SEARCHED_FOR, Relationship.ASKED_ABOUT, Relationship.ANSWERED_BY, Relationship.CITED),
    *(Relationship.BOOKED, Relationship.VIEWED),
)
"""Edges whose weight ages."""

LEARNABLE = (PrivacyClass.PUBLIC, PrivacyClass.INTERNAL, PrivacyClass.PERSONAL)
"""The classes of text that a tenant may let the service learn from; nothing sensitive or secret ever is."""


class KnowledgeSettings(Strict):
    """What a tenant's knowledge graph learns, shows and forgets."""

    enabled: StrictBool = True
    """False: nothing is learned, and no context has insights."""
    privacy_class_max: PrivacyClass = PrivacyClass.PERSONAL
    """The strictest class of text that is learned from, scrubbed: public, internal or personal."""
    insights_min_nodes: Annotated[StrictInt, Field(ge=1, le=2**53)] = 100
    """Nodes that the knowledge graph must have before a context has insights."""
    insight_users_min: Annotated[StrictInt, Field(ge=2, le=1_000)] = 3
    """Different users who must have asked before an insight tells of it. Where a seat names no user, its
    conversation counts as one."""
    popular_max: Annotated[StrictInt, Field(ge=0, le=20)] = 5
    """Popular products that contexts are told of."""
    unanswered_max: Annotated[StrictInt, Field(ge=0, le=20)] = 3
    """Questions without a good answer that contexts are told of."""
    half_life_days: Annotated[StrictInt, Field(ge=1, le=DAYS_MAX)] = 30
    """Days in which an edge loses half its weight."""
    purge_after_days: Annotated[StrictInt, Field(ge=1, le=DAYS_MAX)] = 180
    """Days after which a query that nobody asks any more, a response or an insight is purged."""

    @field_validator("privacy_class_max")
    @classmethod
    def _may_be_learned(cls, asked: PrivacyClass) -> PrivacyClass:
        if asked not in LEARNABLE:
            raise ValueError(f"must be one of {', '.join(LEARNABLE)}")
        return asked
