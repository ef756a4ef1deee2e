"""Proofs about the log of a branch: signed tree heads, inclusion, consistency."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from service.api.auth import Reader, UseCases
from service.api.contract import TENANT_READS, documented
from service.api.shapes.recording import Answer
from service.log.tree_heads import TreeHead
from service.model.events import ClientId

router = APIRouter(prefix="/v1/branches/{branch_id}/log", tags=["log"], responses=documented(*TENANT_READS))

Conversation = Annotated[ClientId, Query(description="The conversation that the branch belongs to.")]
Seq = Annotated[int, Query(ge=1, le=2**53 - 1)]


class SignedTreeHead(Answer):
    """What the service vouches for about a branch up to `seq`, signed with Ed25519."""

    tenant_id: str
    branch_uid: str
    branch_ref: int
    parent_branch_uid: str | None
    base: int
    """The seq at which the branch was forked; its tree has the events that follow."""
    seq: int
    """The newest event of the tree, which has `seq - base` leaves."""
    root_hash: str
    """RFC 9162 root over the hashes of the branch's own events."""
    head_hash: str
    """Hash of the newest event, which names the one before it, and so on to the first."""
    at: str
    peaks: list[str]
    key_id: str
    signature: str


class LoggedEnvelope(Answer):
    """The hashed part of an event: ids of the service, and no content."""

    uid: str
    tenant_id: str
    branch_uid: str
    seq: int
    kind: str
    at: str
    actor_uid: str | None
    subject_uids: list[str]
    payload_commitment: str
    previous_hash: str


class InclusionProof(Answer):
    """The envelope's hash is the leaf; with the path it makes the head's root."""

    envelope: LoggedEnvelope
    leaf_index: int
    inclusion_path: list[str]
    tree_head: SignedTreeHead


class ConsistencyProof(Answer):
    """The path makes both roots."""

    first: SignedTreeHead
    second: SignedTreeHead
    consistency_path: list[str]


@router.get("/head", summary="The newest signed tree head of a branch")
async def head(
    branch_id: str, conversation_id: Conversation, caller: Reader, use: UseCases
) -> SignedTreeHead:
    """Heads are signed by the job `sign_tree_heads`: 404 until it has run. Check them with the public key
    that `runtime-graph log public-key` prints."""
    return _shown(await use.prove_log.head(caller, conversation_id, branch_id))


@router.get("/inclusion", summary="That an event is in the log")
async def inclusion(
    branch_id: str, conversation_id: Conversation, seq: Seq, caller: Reader, use: UseCases
) -> InclusionProof:
    """The proof for the event at `seq`, against the newest signed tree head that covers it.

    An event that the branch inherits is in the tree of the ancestor that recorded it; `tree_head` is that
    one's.
    """
    proof = await use.prove_log.inclusion(caller, conversation_id, branch_id, seq)
    return InclusionProof(**proof | {"tree_head": _shown(proof["tree_head"])})


@router.get("/consistency", summary="That nothing before was rewritten")
async def consistency(
    branch_id: str,
    conversation_id: Conversation,
    first_seq: Annotated[int, Query(ge=0, le=2**53 - 1)],
    caller: Reader,
    use: UseCases,
    second_seq: Seq | None = None,
) -> ConsistencyProof:
    """The proof that the tree of one signed head is the beginning of that of a later one, the newest by
    default.

    `first_seq` and `second_seq` are the `seq` of signed tree heads.
    """
    proof = await use.prove_log.consistency(caller, conversation_id, branch_id, first_seq, second_seq)
    shown = {name: _shown(proof[name]) for name in ("first", "second")}
    return ConsistencyProof(**proof | shown)


def _shown(head: TreeHead) -> SignedTreeHead:
    return SignedTreeHead(**head.row())
