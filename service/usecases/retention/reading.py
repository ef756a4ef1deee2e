"""Where a tenant's records stand, and what of them is due, as retention reads it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from service.graph import retention
from service.graph.driver import Graph, Transaction
from service.model.configuration import RetentionRule
from service.model.vocabulary import Label, Relationship, RetentionAction
from service.policies.retention import Retained
from service.usecases.retention.actions import inline_of

Row = dict[str, Any]
BRANCHES_PER_PAGE: Final = 1_000
SEQS_PER_STRETCH: Final = 400
"""Seqs that one batch looks at, over one branch or several."""
OF_DELETING: Final = (Relationship.SUMMARISES, Relationship.SUPERSEDES)
"""What these refer to may lose its words; it may not go, or a line would stand for nothing and a memory that
was replaced would hold again."""
CHECKED_AGAINST: Final = (Label.MODEL_RUN, Label.TOOL_CALL, Label.WORKING_MEMORY)
"""What checkpoints refer to."""


@dataclass(frozen=True, slots=True)
class Branches:
    """A tenant's branches, forks first, as referrers come before what they refer to."""

    rows: tuple[Row, ...]
    refs_of: Mapping[str, list[int]]
    """By conversation."""
    by_ref: Mapping[int, Row]

    def stretches(self) -> Iterator[list[Row]]:
        """All of them, newest events first, in pieces of at most SEQS_PER_STRETCH seqs.

        They begin at 0: a fork's artifact stands at the seq of its parent's call.
        """
        piece: list[Row] = []
        room = SEQS_PER_STRETCH
        for branch in self.rows:
            ceiling = branch["head"]
            while ceiling > 0:
                floor = max(0, ceiling - room)
                piece.append({"branch_ref": branch["branch_ref"], "floor": floor, "ceiling": ceiling})
                room -= ceiling - floor
                ceiling = floor
                if room == 0:
                    yield piece
                    piece, room = [], SEQS_PER_STRETCH
        if piece:
            yield piece


async def read_branches(graph: Graph, tenant_id: str) -> Branches:
    """All branches of a tenant."""
    found: list[Row] = []
    after = ""
    while True:
        reading = partial(
            retention.list_branches.many, tenant_id=tenant_id, after=after, limit=BRANCHES_PER_PAGE
        )
        page = await graph.read(reading)
        found += page
        if len(page) < BRANCHES_PER_PAGE:
            break
        after = page[-1]["uid"]
    found.sort(key=lambda row: (-row["depth"], row["conversation_uid"], row["uid"]))
    refs_of: dict[str, list[int]] = {}
    for row in found:
        refs_of.setdefault(row["conversation_uid"], []).append(row["branch_ref"])
    return Branches(tuple(found), refs_of, {row["branch_ref"]: row for row in found})


def before_of(rules: Mapping[Label, RetentionRule], now: datetime) -> dict[str, datetime]:
    """For each label with a rule the time that its due records are older than."""
    return {
        label.value: now - timedelta(days=rule.after_days)
        for label, rule in rules.items()
        if rule.after_days is not None
    }


@dataclass(frozen=True, slots=True)
class Needed:
    """What checkpoints that can still be taken up refer to."""

    checkpoints: tuple[Row, ...]

    def uids_of(self, item: Row) -> list[str]:
        """Uids of the checkpoints that refer to an item."""
        return [one["uid"] for one in self.checkpoints if _needs(one, item)]


def _needs(checkpoint: Row, item: Row) -> bool:
    match item["label"]:
        case Label.MODEL_RUN:
            return bool(checkpoint["run_uid"] == item["uid"])
        case Label.TOOL_CALL:
            return item["kept"].get("call_id") in checkpoint["pending_call_ids"]
        case Label.WORKING_MEMORY:
            if checkpoint["participant_uid"] != item["kept"]["participant_uid"]:
                return False
            if checkpoint["branch_ref"] != item["branch_ref"]:
                return True  # a fork may have inherited it
            until = item["until_seq"]
            return bool(item["seq"] < checkpoint["seq"] and (until is None or checkpoint["seq"] < until))
    return False


async def read_needed(tx: Transaction, tenant_id: str, branches: Branches, items: Sequence[Row]) -> Needed:
    """The checkpoints of the conversations of some items, where these may be referred to by one."""
    conversations = {
        branches.by_ref[one["branch_ref"]]["conversation_uid"]
        for one in items
        if one["label"] in CHECKED_AGAINST
    }
    refs = [ref for uid in sorted(conversations) for ref in branches.refs_of[uid]]
    if not refs:
        return Needed(())
    found = await retention.list_checkpoints.many(tx, tenant_id=tenant_id, branch_refs=refs)
    return Needed(tuple(found))


def retained(item: Row, *, held: bool, referred_to: bool) -> Retained:
    """An item as the policy sees it."""
    label, kept = Label(item["label"]), item["kept"]
    done = kept.get("retained_as")
    return Retained(
        label,
        item["recorded_at"],
        held=held,
        referred_to=referred_to,
        restricted=item["restricted"],
        open=item["open"],
        retained_as=RetentionAction(done) if done else None,
        has_bytes=inline_of(label, kept) is not None,
    )
