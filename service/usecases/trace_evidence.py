"""Trace a claim to its raw sources: what each link leads to in the log, and whether it is still there."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from service.errors import NotFound, Unavailable
from service.graph.driver import Graph, Transaction
from service.graph.query import Row
from service.log.entries import body_of, fault_of
from service.log.erasures import NOTHING_ERASED, Destroyed
from service.model.caller import Caller
from service.model.consistency import ConsistencyToken
from service.model.vocabulary import EvidenceRole
from service.storage.blobs import Blobs
from service.usecases.evidence.chain import (
    Chain,
    Claim,
    artifact_of,
    place_of,
    read_chain,
    result_place,
)
from service.usecases.explain_assembly import told
from service.usecases.read_transcript import Place, open_branch
from service.usecases.recording.projection.base import as_text

Shown = dict[str, Any]
Blob = tuple[tuple[str, ...], str]
"""Whose a blob is, and its SHA-256."""


class EvidenceStatus(StrEnum):
    """How a link stands now."""

    RESOLVED = "resolved"
    """What was recorded is there, to the byte."""
    ERASED = "erased"
    """It was destroyed, and the ledger says so."""
    BROKEN = "broken"
    """It is gone, or it is not what was recorded."""
    KEPT_ELSEWHERE = "kept_elsewhere"
    """A document of the platform's: its bytes are there, to be held against the hash."""
    WITHHELD = "withheld"
    """The seat that asks may not see it."""


@dataclass(frozen=True, slots=True)
class TraceEvidence:
    """The use case; `erasures` say which payloads may be missing."""

    graph: Graph
    blobs: Blobs
    erasures: Destroyed = NOTHING_ERASED

    async def __call__(
        self, caller: Caller, place: Place, claim_id: str, token: ConsistencyToken
    ) -> dict[str, Any]:
        """The chain of a claim of the branch's lineage, as far as the seat that asks may see it. Raises
        NotFound."""

        async def work(tx: Transaction) -> Chain:
            opened = await open_branch(tx, caller.tenant_id, place)
            return await read_chain(tx, caller.tenant_id, opened, claim_id)

        chain = await self.graph.read(work, token.bookmarks)
        if claim_id not in chain.claims or not chain.claims[claim_id].shown:
            raise NotFound("claim")
        trace = _Trace(chain, self.erasures, await self._sound_blobs(caller.tenant_id, chain))
        claims = [trace.claim(one) for one in chain.claims.values() if one.shown]
        return {
            "claim_id": claim_id,
            "claims": claims,
            "statuses": Counter(link["status"] for claim in claims for link in claim.get("rests_on", ())),
            "not_walked": [one for one in chain.not_walked if chain.claims[one].shown],
        }

    async def _sound_blobs(self, tenant_id: str, chain: Chain) -> frozenset[Blob]:
        """Those blobs that are there and have their hash, of artifacts that the asker may see."""
        sound = set()
        artifacts = [one for call in chain.calls.values() for one in call["artifacts"]]
        seen = [one for one in artifacts if one["result_blob"] and chain.may_read(one)]
        for people, sha256 in {(tuple(one["subject_uids"]), one["result_blob"]) for one in seen}:
            try:
                await self.blobs.get(tenant_id, people, sha256)
                sound.add((people, sha256))
            except (NotFound, Unavailable):
                continue
        return frozenset(sound)


@dataclass(frozen=True, slots=True)
class _Trace:
    """What is told of a chain that was read."""

    chain: Chain
    erasures: Destroyed
    sound_blobs: frozenset[Blob]

    def claim(self, claim: Claim) -> Shown:
        """A claim with its links; without them where it was not walked, or where they are gone."""
        row, body = claim.row, claim.body or {}
        shown: Shown = {
            "claim_id": row["claim_id"],
            "uid": row["uid"],
            "status": self._status(claim.entry),
            "event": _event(claim.entry),
            "text": body.get("text"),
            "value": body.get("value"),
            "replaces_claim_id": body.get("replaces_claim_id"),
            "replaced_by_claim_ids": [
                one["claim_id"]
                for one in row["replaced_by"]
                if self.chain.opened.lineage.holds(*place_of(one)) and self.chain.may_read(one)
            ],
        }
        if claim.body is None or row["claim_id"] in self.chain.not_walked:
            return shown
        seq = row["seq"]
        if body.get("run_id"):
            shown["run"] = self._link({"role": EvidenceRole.RUN, "run_id": body["run_id"]}, seq)
        if body.get("message_id"):
            shown["message"] = self._link(
                {"role": EvidenceRole.MESSAGE, "message_id": body["message_id"]}, seq
            )
        shown["rests_on"] = [self._link(link, seq) for link in body["rests_on"]]
        return shown

    def _link(self, link: dict[str, Any], seq: int) -> Shown:
        chain = self.chain
        role = {"role": link["role"]}
        if link.get("document"):
            return role | {"status": EvidenceStatus.KEPT_ELSEWHERE, "document": link["document"]}
        if link.get("claim_id"):
            return role | self._claim_link(link["claim_id"])
        if link.get("call_id"):
            return role | self._artifact(link["call_id"], chain.calls.get(link["call_id"]), seq)
        if link.get("message_id"):
            return role | self._message(link["message_id"], chain.messages.get(link["message_id"]))
        return role | self._run(link["run_id"], chain.runs.get(link["run_id"]))

    def _claim_link(self, claim_id: str) -> Shown:
        claim = self.chain.claims.get(claim_id)
        if claim is None:
            return {"status": EvidenceStatus.BROKEN, "claim_id": claim_id}
        if not claim.shown:
            return {"status": EvidenceStatus.WITHHELD}
        return {"status": self._status(claim.entry), "claim_id": claim_id}

    def _artifact(self, call_id: str, call: Row | None, seq: int) -> Shown:
        if call is None:
            return {"status": EvidenceStatus.BROKEN, "artifact": {"call_id": call_id}}
        artifact = artifact_of(call, seq)
        if not self.chain.may_read(call if artifact is None else artifact):
            return {"status": EvidenceStatus.WITHHELD}
        called = self.chain.entries.get(place_of(call))
        shown = {"call_id": call_id, "tool_name": call["tool_name"], "call": _event(called)}
        if artifact is None:
            return {"status": EvidenceStatus.BROKEN, "artifact": shown}
        result = self.chain.entries.get(result_place(artifact))
        statuses = {self._status(called), self._status(result)}
        if result is not None and statuses == {EvidenceStatus.RESOLVED}:
            sound = self._is_sound(artifact, recorded_sha256(result, call_id, artifact))
            statuses = {EvidenceStatus.RESOLVED if sound else EvidenceStatus.BROKEN}
        status = next(one for one in _WORST_FIRST if one in statuses)
        kept = ("call_status", "result_sha256", "result_bytes")
        shown |= {"artifact_uid": artifact["uid"], **{name: artifact[name] for name in kept}}
        return {"status": status, "artifact": shown | {"result": _event(result)}}

    def _is_sound(self, artifact: Row, recorded: str | None) -> bool:
        """Whether an artifact's bytes are there and are those whose hash the log has."""
        if artifact["result_blob"] is not None:
            blob = (tuple(artifact["subject_uids"]), artifact["result_blob"])
            stored = artifact["result_blob"] if blob in self.sound_blobs else None
        else:
            stored = None if artifact["result"] is None else sha256_of(artifact["result"])
        return stored is not None and stored == recorded == artifact["result_sha256"]

    def _message(self, message_id: str, message: Row | None) -> Shown:
        if message is None:
            return {"status": EvidenceStatus.BROKEN, "message": {"message_id": message_id}}
        if not self.chain.may_read(message):
            return {"status": EvidenceStatus.WITHHELD}
        entry = self.chain.entries.get(place_of(message))
        shown = {"message_id": message_id, "uid": message["uid"], "event": _event(entry)}
        return {"status": self._status(entry), "message": shown}

    def _run(self, run_id: str, run: Row | None) -> Shown:
        if run is None:
            return {"status": EvidenceStatus.BROKEN, "run": {"run_id": run_id}}
        if not self.chain.may_read(run):
            return {"status": EvidenceStatus.WITHHELD}
        entry = self.chain.entries.get(place_of(run))
        body = (entry and body_of(entry)) or {}
        shown = {"run_id": run_id, "uid": run["uid"], "event": _event(entry)}
        shown |= {"provider": body.get("provider"), "model": body.get("model")}
        if body.get("assembly_id"):
            shown["assembly"] = {"assembly_id": body["assembly_id"], **self._left_out(run["assemblies"])}
        return {"status": self._status(entry), "run": shown}

    def _left_out(self, assemblies: list[Row]) -> Shown:
        """What an assembly did not consider, as its explanation says it, and the compaction by which it saw
        older turns; nothing where the record is gone."""
        if not assemblies:
            return {}
        [assembly] = assemblies
        shown: Shown = {"head": assembly["head"], "omissions": told(json.loads(assembly["omissions"]))}
        for compaction in assembly["compactions"]:
            kept = {name: compaction[name] for name in ("compaction_id", "until_seq")}
            shown["compaction"] = kept | {"event": _event(self.chain.entries.get(place_of(compaction)))}
        return shown

    def _status(self, entry: Row | None) -> EvidenceStatus:
        """How an entry of the log stands by itself."""
        if entry is None or fault_of(entry, self.erasures) is not None:
            return EvidenceStatus.BROKEN
        return EvidenceStatus.ERASED if entry["payload"] is None else EvidenceStatus.RESOLVED


_WORST_FIRST = (EvidenceStatus.BROKEN, EvidenceStatus.ERASED, EvidenceStatus.RESOLVED)


def recorded_sha256(entry: Row, call_id: str, artifact: Row) -> str | None:
    """The hash of a call's result as its event has it; None where the event has no such result.

    A message has results among its parts, which are counted from 1 in `result_part`.
    """
    body = body_of(entry) or {}
    if artifact["result_part"]:
        part = dict(enumerate(body.get("parts", ()), start=1)).get(artifact["result_part"], {})
        named, result = part.get("id"), part.get("response")
    else:
        named, result = body.get("call_id"), body.get("result")
    if named != call_id:
        return None
    if artifact["result_blob"] is None:
        return sha256_of(as_text(result))
    return str(result.get("blob")) if isinstance(result, dict) else None


def sha256_of(text: str) -> str:
    """In hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def _event(entry: Row | None) -> Shown | None:
    return None if entry is None else {name: entry[name] for name in ("seq", "uid", "hash")}
