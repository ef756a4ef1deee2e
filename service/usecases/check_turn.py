"""Check a turn against its hard caps before it goes on, and record what was decided."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

from service.clock import Clock
from service.graph import costs
from service.graph.driver import Graph, Transaction
from service.ids import new_uid
from service.model.caller import Caller
from service.model.chain import canonical
from service.model.consistency import ConsistencyToken
from service.model.policy_settings import TurnCaps
from service.policies import policy_version, turn_caps
from service.policies.governing import governing
from service.policies.turn_caps import TurnAmounts
from service.usecases.assembly.choosing import Where
from service.usecases.assembly.reading import read_going_on
from service.usecases.assembly.request import Scope
from service.usecases.configure_tenant import Configurations
from service.usecases.erased_ids import ErasedIds


@dataclass(frozen=True, slots=True)
class TurnUse:
    """What a participant has used of the turn that began at `turn_seq` (0: with the branch)."""

    turn_seq: int
    caps: TurnCaps
    used: TurnAmounts
    uncounted_runs: int
    """Runs that were recorded without their output tokens."""

    def told(self) -> dict[str, Any]:
        """As it is answered."""
        return {
            "turn_seq": self.turn_seq,
            "caps": turn_caps.capped(self.caps),
            "used": asdict(self.used),
            "remaining": turn_caps.remaining(self.caps, self.used),
            "uncounted_runs": self.uncounted_runs,
        }


@dataclass(frozen=True, slots=True)
class CheckTurn:
    """The use case with what it works on."""

    graph: Graph
    clock: Clock
    configurations: Configurations
    erased: ErasedIds

    async def __call__(
        self, caller: Caller, where: Where, planned: TurnAmounts, token: ConsistencyToken
    ) -> tuple[dict[str, Any], ConsistencyToken]:
        """Whether the participant may go on as planned, counted from the log. Raises NotFound,
        Gone.

        The decision is recorded once for a state of the branch, what is planned and the configuration; asked
        again, the same is answered.
        """

        async def work(tx: Transaction) -> tuple[dict[str, Any], Scope]:
            seated = where.conversation_id, where.branch_id, where.participant_id
            scope, active, agent = await read_going_on(tx, caller.tenant_id, seated, self.erased)
            configuration = await self.configurations.read(tx, caller.tenant_id, active)
            seat = configuration.agent(agent or where.participant_id)
            use = await read_turn(tx, caller.tenant_id, scope, governing(configuration, seat, None).caps)
            exceeded = turn_caps.exceeded(use.caps, use.used, planned)
            told = {
                "allowed": not exceeded,
                "exceeded": list(exceeded),
                "planned": asdict(planned),
                "head": scope.lineage.head,
                "configuration_number": active,
                **use.told(),
            }
            decision = await costs.record_decision.one(
                tx,
                tenant_id=caller.tenant_id,
                decision_key=_key(scope, told),
                decision=_row(scope, told, policy_version(configuration.version()))
                | {"decided_at": self.clock()},
            )
            assert decision is not None, "a decision is found or made"
            return {"decision_id": decision["uid"], "decided_at": decision["decided_at"], **told}, scope

        (told, scope), bookmarks = await self.graph.write(work, token.bookmarks)
        return told, ConsistencyToken(tuple(bookmarks), scope.branch_ref, scope.lineage.head)


async def read_turn(tx: Transaction, tenant_id: str, scope: Scope, caps: TurnCaps) -> TurnUse:
    """What the scope's participant has used since the newest user message of its branch."""
    row = await costs.count_turn.sole(
        tx,
        tenant_id=tenant_id,
        participant_uid=scope.participant_uid,
        stretches=scope.lineage.after(scope.user_seq).parameters(),
    )
    uncounted = row.pop("uncounted_runs")
    return TurnUse(scope.user_seq, caps, TurnAmounts(**row), uncounted)


def _key(scope: Scope, told: dict[str, Any]) -> str:
    taken_on = [scope.branch_ref, told["head"], scope.participant_uid, told["planned"]]
    text = canonical([*taken_on, told["configuration_number"]])
    return hashlib.sha256(text.encode()).hexdigest()


def _row(scope: Scope, told: dict[str, Any], version: str) -> dict[str, Any]:
    return {
        "uid": new_uid(),
        "policy": "turn_caps",
        "policy_version": version,
        "configuration_number": told["configuration_number"],
        "conversation_uid": scope.conversation_uid,
        "branch_ref": scope.branch_ref,
        "head": told["head"],
        "turn_seq": told["turn_seq"],
        "participant_uid": scope.participant_uid,
        "allowed": told["allowed"],
        "reasons": told["exceeded"],
        **{name: json.dumps(told[name]) for name in ("planned", "used", "caps")},
    }
