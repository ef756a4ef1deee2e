"""A claim's chain as the log has it: the claim, the claims that it rests on, and all that those rest on.

Links are read from the payloads of the log and never from a context, a summary or the graph's edges: what a
compaction folds away, or somebody draws anew in the database, changes nothing here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from service.graph import claims
from service.graph.assemblies import governance
from service.graph.driver import Transaction
from service.graph.proofs import entries_at
from service.graph.query import Row
from service.log.entries import body_of
from service.model.vocabulary import CallStatus
from service.policies import attribution
from service.usecases.read_transcript import Opened

LINKS_MAX: Final = 512
"""Links of one answer; claims that would lead beyond are named and not walked. A cycle ends by itself: each
claim is walked once."""
UNRESOLVED: Final = (CallStatus.PENDING.value, CallStatus.DEFERRED.value)


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of the lineage; `body` is what was recorded, None where that is gone or not what it was."""

    row: Row
    shown: bool
    entry: Row | None
    body: dict[str, Any] | None

    def links(self) -> list[dict[str, Any]]:
        """What it rests on, as it was recorded; nothing where the asker may not see it."""
        return self.body["rests_on"] if self.shown and self.body is not None else []


@dataclass(slots=True)
class Chain:
    """What was read for one asker: nodes by client id, entries of the log by place `(branch_ref, seq)`."""

    opened: Opened
    claims: dict[str, Claim] = field(default_factory=dict)
    not_walked: list[str] = field(default_factory=list)
    calls: dict[str, Row] = field(default_factory=dict)
    messages: dict[str, Row] = field(default_factory=dict)
    runs: dict[str, Row] = field(default_factory=dict)
    entries: dict[tuple[int, int], Row] = field(default_factory=dict)

    def may_read(self, row: Row) -> bool:
        """Whether the asker may see what a node stands for."""
        asker = self.opened.asker
        released = any(asker.lineage.holds(o["branch_ref"], o["seq"]) for o in row.get("releases", ()))
        return attribution.may_read(row["uid"], governance(row), asker, released)

    def walked(self) -> dict[str, Claim]:
        """The claims whose links are in the answer, the asked one first."""
        return {one: claim for one, claim in self.claims.items() if one not in self.not_walked}


async def read_chain(tx: Transaction, tenant_id: str, opened: Opened, claim_id: str) -> Chain:
    """Walk from a claim to the claims that it rests on, level by level, then to all their sources."""
    chain, links, wanted = Chain(opened), 0, [claim_id]
    while wanted:
        found = await _read_claims(tx, tenant_id, chain, wanted)
        wanted = []
        for one, claim in found.items():
            if links + len(claim.links()) > LINKS_MAX:
                chain.not_walked.append(one)
                continue
            links += len(claim.links())
            named = [link["claim_id"] for link in claim.links() if link.get("claim_id")]
            wanted += [name for name in named if name not in chain.claims and name not in wanted]
    await _read_sources(tx, tenant_id, chain)
    return chain


async def _read_claims(
    tx: Transaction, tenant_id: str, chain: Chain, claim_ids: list[str]
) -> dict[str, Claim]:
    rows = await claims.list_claims.many(tx, tenant_id=tenant_id, claim_ids=claim_ids)
    rows = [row for row in rows if chain.opened.lineage.holds(row["branch_ref"], row["seq"])]
    entries = await entries_at(tx, tenant_id, map(place_of, rows))
    found = {}
    for row in rows:
        entry = entries.get(place_of(row))
        body = None if entry is None else body_of(entry)
        found[row["claim_id"]] = Claim(row, chain.may_read(row), entry, body)
    chain.claims |= found
    return found


async def _read_sources(tx: Transaction, tenant_id: str, chain: Chain) -> None:
    bodies = [claim.body for claim in chain.walked().values() if claim.shown and claim.body is not None]
    named = [link for body in bodies for link in (body, *body["rests_on"])]
    found = await claims.list_sources.one(
        tx,
        tenant_id=tenant_id,
        participant_uid=chain.opened.asker.uid,
        stretches=chain.opened.lineage.parameters(),
        named={
            f"{name}s": list({link[name]: None for link in named if link.get(name)})
            for name in ("call_id", "message_id", "run_id")
        },
    )
    assert found is not None
    holds = chain.opened.lineage.holds
    for kind, known in (("call", chain.calls), ("message", chain.messages), ("run", chain.runs)):
        held = [row for row in found[f"{kind}s"] if holds(row["branch_ref"], row["seq"])]
        known.update((row[f"{kind}_id"], row) for row in held)
    places = [place_of(row) for known in (chain.calls, chain.messages, chain.runs) for row in known.values()]
    assemblies = [one for run in chain.runs.values() for one in run["assemblies"]]
    places += [place_of(compaction) for one in assemblies for compaction in one["compactions"]]
    places += [result_place(artifact) for call in chain.calls.values() for artifact in call["artifacts"]]
    chain.entries = await entries_at(tx, tenant_id, dict.fromkeys(places))


def place_of(row: Row) -> tuple[int, int]:
    """Where a node's event stands."""
    return row["branch_ref"], row["seq"]


def result_place(artifact: Row) -> tuple[int, int]:
    """Where the result's event stands."""
    return artifact["branch_ref"], artifact["result_seq"]


def artifact_of(call: Row, before_seq: int) -> Row | None:
    """The artifact that had the call's result before a seq; there is one at most on a lineage."""
    answered = [one for one in call["artifacts"] if one["call_status"] not in UNRESOLVED]
    return next((one for one in answered if one["result_seq"] < before_seq), None)
