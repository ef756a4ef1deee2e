"""What the platform says of its things and their edges, and what it is answered about what was learned."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, StrictFloat, model_validator

from service.api.shapes.recording import Answer
from service.model.events import ClientId, Name, Strict
from service.model.events.base import Json, UtcTime
from service.model.vocabulary import Label, Rating, Relationship
from service.usecases.connect_entities import ID_NAMES, End, PlatformEdge
from service.usecases.put_entity import Entity

ALIASES_MAX = 32
EDGES_MAX = 200


class EntityBody(Strict):
    """What is known of a thing; what is left out is empty."""

    title: Name
    """What people call it, in 1 to 8 words."""
    aliases: list[Name] = Field(default_factory=list, max_length=ALIASES_MAX)
    """What they call it too. Texts mention a thing by one of these as whole words, in any case."""
    value: Json = None
    """What else there is to know, at most 4,096 bytes of JSON."""

    def entity(self, label: Label, client_id: str) -> Entity:
        """As the use case takes it."""
        return Entity(label, client_id, self.title, self.aliases, self.value)


class BookingBody(EntityBody):
    """A booking, and whose it is."""

    user_id: ClientId | None = None

    def entity(self, label: Label, client_id: str) -> Entity:
        """As the use case takes it."""
        return Entity(label, client_id, self.title, self.aliases, self.value, self.user_id)


class EndBody(Strict):
    """One end of an edge, named by exactly one id."""

    user_id: ClientId | None = None
    product_id: ClientId | None = None
    booking_id: ClientId | None = None
    competitor_price_id: ClientId | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if len(self.model_fields_set) != 1 or None in self._ids().values():
            raise ValueError("names exactly one id")
        return self

    def _ids(self) -> dict[str, str | None]:
        return {name: getattr(self, name) for name in self.model_fields_set}

    def end(self) -> End:
        """As the use case takes it."""
        [(name, client_id)] = self._ids().items()
        return End(next(label for label, one in ID_NAMES.items() if one == name), str(client_id))


class EdgeBody(Strict):
    """A typed edge: a user or booking BOOKED a product, a user VIEWED one, a product is SIMILAR_TO another or
    PRICED_AGAINST a competitor's price."""

    relationship: Literal[
        Relationship.BOOKED, Relationship.VIEWED, Relationship.SIMILAR_TO, Relationship.PRICED_AGAINST
    ]
    start: EndBody
    end: EndBody
    weight: Annotated[StrictFloat, Field(gt=0, le=1000, allow_inf_nan=False)] = 1.0
    """How much BOOKED and VIEWED count before they age."""
    occurred_at: UtcTime | None = None
    """When it happened: their age counts from here. Left out: now."""

    def edge(self) -> PlatformEdge:
        """As the use case takes it."""
        return PlatformEdge(
            self.relationship, self.start.end(), self.end.end(), self.weight, self.occurred_at
        )


class EdgesBody(Strict):
    """Edges that are kept together or not at all."""

    edges: Annotated[list[EdgeBody], Field(min_length=1, max_length=EDGES_MAX)]


class KeptEntity(Answer):
    """A thing that is in the knowledge graph."""

    uid: str


class KeptEdges(Answer):
    """How many edges were kept."""

    edges: int


class FeedbackBody(Strict):
    """What a user thinks of an answer."""

    message_id: ClientId
    user_id: ClientId
    rating: Rating


class KeptFeedback(Answer):
    """All opinions of the answer."""

    ups: int
    downs: int
    learned: bool
    """False while the answer waits to be learned from, or where nothing is learned from it."""


class LearnedEdge(Answer):
    """An edge from a query or a response."""

    relationship: Relationship
    label: Label
    uid: str
    title: str | None
    weight: float | None
    """What it counts now; null where the edge does not age."""


class LearnedNode(Answer):
    """A query or a response, as it was learned: without personal data."""

    uid: str
    text: str
    edges: list[LearnedEdge]


class LearnedFrom(Answer):
    """What was learned from one message."""

    message_id: str
    waiting: bool
    """Whether it is still to be learned from."""
    queries: list[LearnedNode]
    responses: list[LearnedNode]
