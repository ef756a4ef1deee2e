"""Checking what the API answers as proof, without the service: the answer and a public key are all it
takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.log.merkle import includes, is_beginning, leaf_hash
from service.log.tree_heads import PublicKeys, TreeHead, exact_bytes
from service.model.chain import Envelope


def proves_inclusion(answer: Mapping[str, Any], keys: PublicKeys) -> bool:
    """Whether an answer of `GET …/log/inclusion` shows that its envelope is in the tree of its signed
    head."""
    try:
        head = TreeHead.of(answer["tree_head"])
        fields = {name: answer["envelope"]["uid" if name == "event_uid" else name] for name in _ENVELOPE}
        envelope = Envelope(**fields | {"subject_uids": tuple(fields["subject_uids"])})
        index, path = int(answer["leaf_index"]), [exact_bytes(one) for one in answer["inclusion_path"]]
        place = (envelope.tenant_id, envelope.branch_uid, envelope.seq)
        leaf = leaf_hash(bytes.fromhex(envelope.hash()))
    except (KeyError, TypeError, ValueError):
        return False
    return (
        head.is_signed_by(keys)
        and place == (head.tenant_id, head.branch_uid, head.base + 1 + index)
        and includes(bytes.fromhex(head.root_hash), head.tree_size, index, leaf, path)
    )


def proves_consistency(answer: Mapping[str, Any], keys: PublicKeys) -> bool:
    """Whether an answer of `GET …/log/consistency` shows that its second signed head goes on from its
    first."""
    try:
        first, second = TreeHead.of(answer["first"]), TreeHead.of(answer["second"])
        path = [exact_bytes(one) for one in answer["consistency_path"]]
    except (KeyError, TypeError, ValueError):
        return False
    if not (first.is_signed_by(keys) and second.is_signed_by(keys)):
        return False
    same = ("tenant_id", "branch_uid", "branch_ref", "parent_branch_uid", "base")
    if any(getattr(first, name) != getattr(second, name) for name in same):
        return False
    if first.tree_size == 0:
        return not path and first.seq <= second.seq
    roots = (bytes.fromhex(first.root_hash), bytes.fromhex(second.root_hash))
    return is_beginning(roots[0], first.tree_size, roots[1], second.tree_size, path)


_ENVELOPE = Envelope.__slots__
