"""Learning candidates: answers that a person should look at, and what reviewers decide on them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from service.api.assemblies import Consistency
from service.api.auth import Reviewer, UseCases
from service.api.branches import MESSAGES_DEFAULT, Limit
from service.api.contract import TENANT_READS, TENANT_WRITES, documented
from service.api.knowledge_documents import Since, written
from service.api.shapes.learning import (
    ApproveBody,
    AssignBody,
    Candidate,
    Candidates,
    DecisionBody,
    ListedCandidate,
    ReasonBody,
)
from service.model.caller import Caller
from service.model.vocabulary import FailureClass, ReviewAction, ReviewState
from service.usecases.review_candidates import Decision, Filters

router = APIRouter(prefix="/v1/learning-candidates", tags=["learning"])
WRITES = documented(*TENANT_WRITES)


@router.get("", summary="List learning candidates", responses=documented(*TENANT_READS))
async def candidates(
    caller: Reviewer,
    use: UseCases,
    token: Consistency,
    state: ReviewState | None = None,
    failure_class: FailureClass | None = None,
    assignee: Annotated[str | None, Query(max_length=256)] = None,
    limit: Limit = MESSAGES_DEFAULT,
    cursor: Since = None,
) -> Candidates:
    """Newest first, those that match every filter. Numbers and ids; the words come with one candidate."""
    found = await use.review_candidates.listed(
        caller, Filters(state, failure_class, assignee), cursor, limit, token
    )
    more = found[-1]["created_at"] if len(found) == limit else None
    return Candidates(candidates=[ListedCandidate(**row) for row in found], next_cursor=written(more))


@router.get("/{candidate_id}", summary="Read a learning candidate", responses=documented(*TENANT_READS))
async def candidate(candidate_id: str, caller: Reviewer, use: UseCases, token: Consistency) -> Candidate:
    """Question, answer, every part of the confidence, the class with its reason, and who decided what."""
    return Candidate(**await use.review_candidates.read(caller, candidate_id, token))


@router.post("/{candidate_id}/assign", summary="Assign a candidate to a reviewer", responses=WRITES)
async def assign(
    candidate_id: str, body: AssignBody, caller: Reviewer, use: UseCases, response: Response
) -> Candidate:
    """Also from one reviewer to another. 409 `conflict` where it is decided: reopen it first."""
    return await _decided(caller, use, response, candidate_id, ReviewAction.ASSIGN, body)


@router.post("/{candidate_id}/approve", summary="Publish a candidate's answer", responses=WRITES)
async def approve(
    candidate_id: str, body: ApproveBody, caller: Reviewer, use: UseCases, response: Response
) -> Candidate:
    """Question and answer, as recorded or as edited here, become a knowledge document."""
    return await _decided(caller, use, response, candidate_id, ReviewAction.APPROVE, body)


@router.post("/{candidate_id}/reject", summary="Reject a candidate", responses=WRITES)
async def reject(
    candidate_id: str, body: ReasonBody, caller: Reviewer, use: UseCases, response: Response
) -> Candidate:
    """Nothing is published."""
    return await _decided(caller, use, response, candidate_id, ReviewAction.REJECT, body)


@router.post("/{candidate_id}/reopen", summary="Look at a decided candidate again", responses=WRITES)
async def reopen(
    candidate_id: str, body: ReasonBody, caller: Reviewer, use: UseCases, response: Response
) -> Candidate:
    """A document that was made of it is retracted until it is approved again."""
    return await _decided(caller, use, response, candidate_id, ReviewAction.REOPEN, body)


async def _decided(
    caller: Caller,
    use: UseCases,
    response: Response,
    candidate_id: str,
    action: ReviewAction,
    body: DecisionBody,
) -> Candidate:
    told, written = await use.review_candidates.decide(
        caller, candidate_id, Decision(action, **body.model_dump())
    )
    response.headers["Consistency-Token"] = written.encode(use.secret)
    return Candidate(**told)
