"""Take a checkpoint up: once on each branch, by one run, from the state that was saved."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from service.errors import BranchClosed, Conflict, IdTaken, NotFound
from service.graph import assemblies, checkpoints
from service.graph.driver import Graph, Transaction
from service.graph.query import Row
from service.model.caller import Caller
from service.model.consistency import ConsistencyToken
from service.model.events import Batch, Event, ModelRunEvent, ResumeEvent
from service.model.vocabulary import CallStatus, RunStatus, RuntimeKind
from service.policies import attribution
from service.usecases.append_events import AppendEvents
from service.usecases.assembly.choosing import Where
from service.usecases.read_transcript import Opened, Place, open_branch


@dataclass(frozen=True, slots=True)
class NewRun:
    """The run that takes a checkpoint up."""

    run_id: str
    provider: str | None
    model: str | None


@dataclass(frozen=True, slots=True)
class ResumeCheckpoint:
    """The use case with what it works on."""

    graph: Graph
    append_events: AppendEvents

    async def __call__(
        self,
        caller: Caller,
        checkpoint_id: str,
        where: Where,
        run: NewRun,
        idempotency_key: str | None,
        token: ConsistencyToken,
    ) -> tuple[dict[str, Any], tuple[Event, ...], ConsistencyToken]:
        """The state from which the run goes on, what was recorded for it, and a token to read that.

        Nothing is recorded for a run that has taken the checkpoint up already. Raises NotFound, Conflict
        where another run has, IdTaken, BranchClosed, IdempotencyKeyReused, Gone.
        """
        try:
            saved = await self.read(caller, checkpoint_id, where, token)
        except NotFound:
            await self.append_events.erased.refuse_conversation(
                self.graph, caller.tenant_id, where.conversation_id
            )
            raise
        if _is_taken_up(saved, run):
            return saved, (), token
        batch = _batch(checkpoint_id, where, run, saved["parent_run_id"])
        try:
            appended = await self.append_events(caller, batch, idempotency_key)
        except Conflict as refused:
            # The same run may have come first, under another key.
            saved = await self.read(caller, checkpoint_id, where, token)
            if _is_taken_up(saved, run):
                return saved, (), token
            raise _of_the_body(refused) from None
        recorded = () if appended.repeated else tuple(batch.events)
        token = appended.token if not appended.repeated else token
        return await self.read(caller, checkpoint_id, where, token), recorded, token

    async def read(
        self, caller: Caller, checkpoint_id: str, where: Where, token: ConsistencyToken
    ) -> dict[str, Any]:
        """What was saved, and what became of it since on the branch. Raises NotFound, also for a checkpoint
        of another participant or out of the branch's reach."""

        async def work(tx: Transaction) -> dict[str, Any]:
            place = Place(where.conversation_id, where.branch_id, where.participant_id)
            opened = await open_branch(tx, caller.tenant_id, place)
            row = await checkpoints.read_saved.one(
                tx,
                tenant_id=caller.tenant_id,
                checkpoint_id=checkpoint_id,
                participant_uid=opened.asker.uid,
                branch_ref=opened.row["branch_ref"],
                stretches=opened.lineage.parameters(),
            )
            if row is None:
                raise NotFound("checkpoint")
            shown = {"branch_id": where.branch_id, "participant_id": where.participant_id}
            return shown | _told(row, opened)

        return await self.graph.read(work, token.bookmarks)


def _is_taken_up(saved: dict[str, Any], run: NewRun) -> bool:
    """Whether this run has taken the checkpoint up. Raises Conflict where another one has."""
    taken_up = saved["taken_up"]
    if taken_up is not None and taken_up["run_id"] != run.run_id:
        raise Conflict("The checkpoint was taken up on this branch already, by another run.")
    return taken_up is not None


def _batch(checkpoint_id: str, where: Where, run: NewRun, parent_run_id: str | None) -> Batch:
    started = ModelRunEvent(
        kind="model_run",
        participant_id=where.participant_id,
        run_id=run.run_id,
        run_status=RunStatus.STARTED,
        runtime_kind=RuntimeKind.CONTINUATION,
        provider=run.provider,
        model=run.model,
        parent_run_id=parent_run_id,
    )
    resumed = ResumeEvent(
        kind="resume",
        participant_id=where.participant_id,
        checkpoint_id=checkpoint_id,
        run_id=run.run_id,
    )
    return Batch(conversation_id=where.conversation_id, branch_id=where.branch_id, events=[started, resumed])


def _of_the_body(refused: Conflict) -> Conflict:
    """The refusal of the batch with the places of the request that it was made from."""
    if isinstance(refused, IdTaken):
        return IdTaken("run_id")
    if isinstance(refused, BranchClosed):
        return BranchClosed("branch_id")
    return refused


def _told(row: Row, opened: Opened) -> dict[str, Any]:
    loaded: Row = next(iter(row["skill_states"]), {})
    noted = next(iter(row["working_memories"]), None)
    budgets = (budget.rpartition("=") for budget in row["budgets"])
    asker = opened.asker
    return {
        "seq": row["seq"],
        "recorded_at": row["recorded_at"],
        "run_id": row["run_id"],
        "parent_run_id": row["parent_run_id"],
        **{name: loaded.get(name, []) for name in ("skills", "profiles", "direct_tools", "integrations")},
        "working_memory": noted and {**noted, "fields": json.loads(noted["fields"])},
        "budgets": {name: int(amount) for name, _, amount in budgets},
        "children": [
            {"outcome": None, "summary": None, "seq": None, "participant_id": child["participant_id"]}
            | next(iter(child["releases"]), {})
            for child in row["children"]
        ],
        "pending_calls": [
            _call(call)
            for call in row["calls"]
            if attribution.may_read(call["uid"], assemblies.governance(call), asker, released=False)
        ],
        "taken_up": next(
            ({**run, "recorded_at": run["recorded_at"].to_native()} for run in row["runs"]), None
        ),
    }


def _call(call: Row) -> dict[str, Any]:
    """The call as it stands now; one that was answered after the branch was forked is pending here."""
    found = next(iter(call["artifacts"]), {"call_status": CallStatus.PENDING, "result_seq": None})
    return {
        "call_id": call["call_id"],
        "tool_name": call["tool_name"],
        "call_status": found["call_status"],
        "artifact_id": found["uid"] if found["result_seq"] else None,
        "seq": found["result_seq"],
    }
