"""The knowledge graph: what the platform names, what users think of answers, and what was learned."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, BackgroundTasks, Path

from service.api.auth import Reader, Recorder, UseCases
from service.api.contract import TENANT_READS, TENANT_WRITES, documented
from service.api.shapes.knowledge_graph import (
    BookingBody,
    EdgesBody,
    EntityBody,
    FeedbackBody,
    KeptEdges,
    KeptEntity,
    KeptFeedback,
    LearnedFrom,
)
from service.model.events import ClientId
from service.model.vocabulary import Feedback, Label

router = APIRouter(prefix="/v1", tags=["knowledge"], responses=documented(*TENANT_WRITES))

EntityId = Annotated[ClientId, Path(description="Your id of it.")]


@router.put("/knowledge/products/{product_id}", summary="Keep a product")
async def product(product_id: EntityId, body: EntityBody, caller: Recorder, use: UseCases) -> KeptEntity:
    """Questions that mention it by title or alias lead to it from now on. Put again it stays as it is."""
    return KeptEntity(uid=await use.put_entity(caller, body.entity(Label.PRODUCT, product_id)))


@router.put("/knowledge/documents/{document_id}", summary="Keep a document")
async def document(document_id: EntityId, body: EntityBody, caller: Recorder, use: UseCases) -> KeptEntity:
    """Answers that mention it cite it from now on. Its text stays with you."""
    return KeptEntity(uid=await use.put_entity(caller, body.entity(Label.DOCUMENT, document_id)))


@router.put("/knowledge/bookings/{booking_id}", summary="Keep a booking")
async def booking(booking_id: EntityId, body: BookingBody, caller: Recorder, use: UseCases) -> KeptEntity:
    """Its edge BOOKED says of which product."""
    return KeptEntity(uid=await use.put_entity(caller, body.entity(Label.BOOKING, booking_id)))


@router.put("/knowledge/competitor-prices/{competitor_price_id}", summary="Keep a competitor's price")
async def competitor_price(
    competitor_price_id: EntityId, body: EntityBody, caller: Recorder, use: UseCases
) -> KeptEntity:
    """The price itself goes into `value`; the edge PRICED_AGAINST says with which product it competes."""
    return KeptEntity(
        uid=await use.put_entity(caller, body.entity(Label.COMPETITOR_PRICE, competitor_price_id))
    )


@router.put("/knowledge/edges", summary="Keep edges")
async def edges(body: EdgesBody, caller: Recorder, use: UseCases) -> KeptEdges:
    """All or none, each once between its ends. A user who is not known yet is made; anything else must be
    there."""
    await use.connect_entities(caller, [edge.edge() for edge in body.edges])
    return KeptEdges(edges=len(body.edges))


@router.post("/feedback", summary="Rate an answer")
async def feedback(
    body: FeedbackBody, caller: Recorder, use: UseCases, afterwards: BackgroundTasks
) -> KeptFeedback:
    """One opinion for each user and answer, the newest. The edge from the question to the answer counts twice
    as much for each `up` and half as much for each `down`, within bounds. An answer that more users dislike
    than like is judged anew, and becomes a learning candidate."""
    rated = await use.rate_answer(caller, body.message_id, body.user_id, body.rating)
    told = Feedback.NEGATIVE if rated.downs > rated.ups else Feedback.POSITIVE
    afterwards.add_task(use.judge_answer.when_rated, caller.tenant_id, body.message_id, told)
    return KeptFeedback(ups=rated.ups, downs=rated.downs, learned=rated.learned)


@router.get(
    "/messages/{message_id}/learned",
    summary="What was learned from a message",
    responses=documented(*TENANT_READS),
)
async def learned(message_id: ClientId, caller: Reader, use: UseCases) -> LearnedFrom:
    """The query that it was, or the response, with the edges that lead from there. Other messages with the
    same words may stand behind the same query."""
    found = await use.read_learned(caller, message_id)
    return LearnedFrom(message_id=message_id, **found)
