"""How sure answers are."""

from __future__ import annotations

from fastapi import APIRouter, Response

from service.api.assemblies import Consistency
from service.api.auth import Reader, Recorder, UseCases
from service.api.contract import TENANT_READS, TENANT_WRITES, documented
from service.api.shapes.learning import ConfidenceBody, JudgedAnswer
from service.model.vocabulary import Factor
from service.usecases.judge_answer import Given

router = APIRouter(prefix="/v1/answers", tags=["learning"])


@router.post(
    "/{message_id}/confidence", summary="Judge how sure an answer is", responses=documented(*TENANT_WRITES)
)
async def judge(
    message_id: str,
    body: ConfidenceBody,
    caller: Recorder,
    use: UseCases,
    token: Consistency,
    response: Response,
) -> JudgedAnswer:
    """The confidence of an assistant's message by what you know of it and what its assembly counted, each
    part explained.

    Below the tenant's threshold, with negative feedback, or where it tells a day that is over as still to
    come, it becomes a learning candidate. The same again answers the same.
    """
    values = {factor: value for factor in Factor if (value := getattr(body, factor)) is not None}
    told, written = await use.judge_answer(caller.tenant_id, message_id, Given(values, body.feedback), token)
    response.headers["Consistency-Token"] = written.encode(use.secret)
    return JudgedAnswer(**told)


@router.get(
    "/{message_id}/confidence",
    summary="Why an answer is as sure as it is",
    responses=documented(*TENANT_READS),
)
async def explain(message_id: str, caller: Reader, use: UseCases, token: Consistency) -> JudgedAnswer:
    """The newest judgement. 404 where the answer was not judged."""
    return JudgedAnswer(**await use.judge_answer.read(caller.tenant_id, message_id, token))
