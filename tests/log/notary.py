"""Who signs and verifies the log of one tenant in a test."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agent_platform import Platform

from service.clock import FixedClock
from service.graph.driver import Graph
from service.ids import new_uid
from service.log.kept_heads import KeptHeads
from service.log.ledger import Ledger, LedgerEntry
from service.log.verification import Verdict
from service.model.chain import stamp
from service.model.privacy import Destruction
from service.usecases.manage_signing_key import load_signer, trusted_keys
from service.usecases.sign_tree_heads import Signed, SignTreeHeads
from service.usecases.verify_log import VerifyLog

REQUEST = new_uid()
CLOCK = FixedClock(datetime(2026, 3, 1, 12, tzinfo=UTC))


@dataclass(frozen=True)
class Notary:
    """A folder of keys and a file of kept heads, used for one tenant's log."""

    graph: Graph
    platform: Platform
    name: str
    keys: Path
    kept: KeptHeads

    async def sign(self, every_events: int = 1000) -> Signed:
        """Sign where the tenant's branches stand."""
        signer = load_signer(self.keys)
        trusted = trusted_keys(self.keys)
        sign = SignTreeHeads(self.graph, CLOCK, signer, trusted, self.kept, every_events)
        return await sign(tenant_id=self.platform.tenant_id)

    @property
    def ledger(self) -> Ledger:
        """What was destroyed."""
        return Ledger(self.keys / "ledger.jsonl")

    def begin(self, *subject_uids: str, request_uid: str = REQUEST, **fields: Any) -> LedgerEntry:
        """Say in the ledger that people's data is about to be destroyed."""
        usual = {"tenant_id": self.platform.tenant_id, "what": Destruction.ERASURE, "plan_digest": None}
        usual |= {"at": stamp(CLOCK())}
        signer = load_signer(self.keys)
        return self.ledger.begin(signer, request_uid=request_uid, subject_uids=subject_uids, **usual | fields)

    def end(self, request_uid: str = REQUEST, **counts: int) -> LedgerEntry:
        """Say that it is done."""
        signer = load_signer(self.keys)
        return self.ledger.end(
            signer, request_uid=request_uid, counts=counts, receipt_sha256=None, at=stamp(CLOCK())
        )

    async def verdict(self) -> Verdict:
        """The log held against everything that is known."""
        verify = VerifyLog(self.graph, trusted_keys(self.keys), self.kept, self.ledger)
        return await verify(self.platform.tenant_id)


NewNotary = Callable[[], Awaitable[Notary]]
