"""What a fork inherits: its lineage, its first link and its running totals."""

from __future__ import annotations

from service.errors import InvalidRequest, UnknownReference
from service.graph import log
from service.graph.driver import Transaction
from service.model.lineage import Lineage, merges_until
from service.usecases.recording.sealing import Sealed


async def inherit(tx: Transaction, tenant_id: str, sealed: Sealed) -> None:
    """Give every forked branch its lineage, its first link and its running totals, in the batch's order:
    one may fork from another."""
    for row in sealed.rows["branches"]:
        parent, location = row.pop("parent"), row.pop("location")
        own = parent["branch_ref"] == sealed.branch_ref
        parent_head = row["seq"] - 1 if own else parent["head"]
        at_seq = row.pop("at_seq") or parent_head
        at_message = row.pop("at_message")
        if not 1 <= at_seq <= parent_head:
            raise InvalidRequest(
                [{"location": f"{location}.at_seq", "problem": f"the parent's head is {parent_head}"}]
            )
        whole = Lineage.of_row(parent, parent_head)
        if at_message is not None:
            at_seq = at_message["seq"]
            if not whole.holds(at_message["branch_ref"], at_seq):
                raise UnknownReference(f"{location}.at_message_id")
        inherited = whole.up_to(at_seq)
        last = inherited.stretches[-1]
        link = sealed.link(at_seq) if last.branch_ref == sealed.branch_ref else None
        link = link or await log.read_link.one(
            tx, tenant_id=tenant_id, branch_ref=last.branch_ref, seq=at_seq
        )
        if link is None:
            raise InvalidRequest([{"location": f"{location}.at_seq", "problem": "names no event"}])
        merges = parent.get("merges") or []
        if own:
            merges = merges + [number for merge in sealed.rows["merges"] for number in merge["merges"]]
        row["parent_ref"] = parent["branch_ref"]
        row["base"] = at_seq
        row["properties"] |= {
            "tenant_id": tenant_id,
            "lineage": [s.branch_ref for s in inherited.stretches],
            "cutoffs": [s.ceiling for s in inherited.stretches],
            "merges": merges_until(merges, at_seq),
            "base": at_seq,
            "head": at_seq,
            "head_hash": link["hash"],
            "transcript_tokens": link["transcript_tokens"],
            "transcript_items": link["transcript_items"],
            "inherited_items": link["transcript_items"],
        }
        row.pop("seq")
