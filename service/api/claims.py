"""Claims, and what they rest on."""

from __future__ import annotations

from fastapi import APIRouter

from service.api.assemblies import Consistency
from service.api.auth import Reader, UseCases
from service.api.branches import Seat
from service.api.contract import TENANT_READS, documented
from service.api.events import Lineage
from service.api.shapes.evidence import EvidenceChain
from service.api.tree_heads import Conversation
from service.model.events import MAIN_BRANCH
from service.usecases.read_transcript import Place

router = APIRouter(prefix="/v1/claims", tags=["claims"], responses=documented(*TENANT_READS))


@router.get("/{claim_id}/evidence", summary="What a claim rests on", response_model_exclude_none=True)
async def evidence(
    claim_id: str,
    conversation_id: Conversation,
    caller: Reader,
    use: UseCases,
    token: Consistency,
    branch_id: Lineage = MAIN_BRANCH,
    participant_id: Seat = None,
) -> EvidenceChain:
    """The whole chain, from the log: every link down to the raw results, each read and held against its hash.

    A link that the seat which asks may not see is `withheld`, and nothing more is told of it. Of a run the
    context is named that it was given, with what that left out.
    """
    place = Place(conversation_id, branch_id, participant_id)
    return EvidenceChain(**await use.trace_evidence(caller, place, claim_id, token))
