"""What a batch starts from: a conversation that it opens, and what the graph knows of the ids it names."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from service.errors import LimitExceeded
from service.graph import log, user_memories
from service.graph.driver import Transaction
from service.ids import new_branch_ref, new_uid
from service.model.chain import genesis
from service.model.events import (
    MAIN_BRANCH,
    AnyBatch,
    ConversationEvent,
    UserMemoryEvent,
    WorkingMemoryEvent,
)
from service.model.lineage import NUMBERS_PER_MERGE, Lineage
from service.model.user_memory import UserMemory
from service.policies.user_memories import memory_key
from service.usecases.configure_tenant import Configurations
from service.usecases.recording.projection import Known
from service.usecases.recording.projection.rows import Row

STANDING_MAX = 256
"""Memories of one person and thing that stand side by side, because nothing orders them."""


async def open_conversation(
    tx: Transaction, tenant_id: str, batch: AnyBatch, opened: Row, users: dict[str, str], now: datetime
) -> None:
    """Make the conversation of the batch's first event with its branch `main`, and note both in `opened`."""
    event = batch.events[0]
    assert isinstance(event, ConversationEvent)
    conversation = {
        "uid": new_uid(),
        "conversation_id": batch.conversation_id,
        "title": event.title,
        "user_uid": users[event.user_id] if event.user_id else None,
        "runtime_kind": event.runtime_kind.value,
        "created_at": now,
    }
    branch_uid = new_uid()
    branch = {
        "uid": branch_uid,
        "branch_ref": new_branch_ref(),
        "branch_id": MAIN_BRANCH,
        "conversation_uid": conversation["uid"],
        "conversation_id": batch.conversation_id,
        "lineage": [],
        "cutoffs": [],
        "base": 0,
        "head": 0,
        "head_hash": genesis(tenant_id, branch_uid),
        "transcript_tokens": 0,
        "transcript_items": 0,
        "inherited_items": 0,
        "created_at": now,
    }
    await log.create_conversation.none(tx, tenant_id=tenant_id, conversation=conversation, branch=branch)
    opened["conversation"] = conversation
    opened["branch"] = branch
    opened["branches"] = [branch]


def known_of(batch: AnyBatch, opened: Row, users: dict[str, str]) -> Known:
    """What a row of the query `branch/open_for_append` knows, by client id."""
    branch = opened["branch"]
    lineage = Lineage.of_row(branch)
    within = [row for row in opened["messages"] if lineage.holds(row["branch_ref"], row["seq"])]
    runs = [row for row in opened["runs"] if lineage.holds(row["branch_ref"], row["seq"])]
    return Known(
        conversation_uid=opened["conversation"]["uid"],
        conversation_id=batch.conversation_id,
        owner_user_uid=opened["conversation"].get("user_uid"),
        branch_ref=branch["branch_ref"],
        lineage=lineage,
        users=users,
        participants={row["participant_id"]: row for row in opened["participants"]},
        messages={row["message_id"]: row["uid"] for row in within},
        message_places={row["message_id"]: row for row in opened["messages"]},
        pins={
            row["pin_id"]: row["uid"]
            for row in opened["pins"]
            if lineage.holds(row["branch_ref"], row["seq"])
        },
        checkpoints={
            row["checkpoint_id"]: row
            for row in opened["checkpoints"]
            if lineage.holds(row["branch_ref"], row["seq"])
        },
        runs={row["run_id"]: row["uid"] for row in runs},
        calls={row["call_id"]: row for row in opened["calls"]},
        assemblies=frozenset(
            row["uid"] for row in opened["assemblies"] if lineage.covers(row["branch_ref"], row["head"])
        ),
        claims={
            row["claim_id"]: row["uid"]
            for row in opened["claims"]
            if lineage.holds(row["branch_ref"], row["seq"])
        },
        user_memories={row["memory_id"]: user_memories.user_memory(row) for row in opened["user_memories"]},
        parents={row["branch_id"]: row for row in opened["branches"]},
        merged_stretches=len(branch.get("merges") or []) // NUMBERS_PER_MERGE,
    )


async def with_working_memories(
    tx: Transaction, tenant_id: str, batch: AnyBatch, known: Known, configurations: Configurations
) -> Known:
    """The same with the working memories that the batch writes on, and what their settings are."""
    writers = {event.participant_id for event in batch.events if isinstance(event, WorkingMemoryEvent)}
    if not writers:
        return known
    seated = [row["uid"] for name, row in known.participants.items() if name in writers]
    found = await log.list_standing.one(
        tx,
        tenant_id=tenant_id,
        stretches=known.lineage.parameters(),
        named={"participant_uids": seated},
        recording=True,
    )
    assert found is not None, "the caller's tenant exists"
    return replace(
        known,
        working_memories={row["participant_uid"]: row for row in found["standing"]},
        configuration=await configurations.read(tx, tenant_id, found["active_version"]),
    )


async def with_user_memories(
    tx: Transaction, tenant_id: str, batch: AnyBatch, known: Known, now: datetime
) -> Known:
    """The same with the user memories that stand about what the batch remembers.

    Takes the lock of each person that it is about: two who remember at once see each other. Raises
    LimitExceeded.
    """
    about = {
        (uid, memory_key(event.subject, event.predicate))
        for event in batch.events
        if isinstance(event, UserMemoryEvent)
        if (uid := known.users[event.user_id] if event.user_id else known.owner_user_uid)
    }
    if not about:
        return known
    found = await user_memories.open_for_remembering.many(
        tx,
        tenant_id=tenant_id,
        named={
            "user_uids": sorted({uid for uid, _ in about}),
            "about": [{"user_uid": uid, "memory_key": key} for uid, key in sorted(about)],
        },
        now=now,
        limit=STANDING_MAX + 1,
    )
    standing: dict[tuple[str, str], list[UserMemory]] = {}
    for row in found:
        memories = [user_memories.user_memory(one) for one in row["standing"]]
        if len(memories) > STANDING_MAX:
            raise LimitExceeded("What is remembered of one thing", STANDING_MAX, "memories that none orders")
        standing[row["user_uid"], row["memory_key"]] = memories
    return replace(known, standing=standing)
