"""Explain a recorded assembly: what was in and why, what was not and by which rule."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from service.errors import NotFound
from service.graph import assemblies
from service.graph.driver import Graph
from service.model.caller import Caller
from service.model.consistency import ConsistencyToken
from service.model.verdict import REASONS, Reason
from service.model.vocabulary import Label, Visibility
from service.policies import visibility
from service.policies.freshness import aged
from service.policies.knowledge import COVERED_MIN, NEAR_MIN
from service.usecases.assembly.choosing import Chooser, Chosen
from service.usecases.assembly.record import HIDDEN
from service.usecases.replay_assembly import Recorded, gone_since, read_recorded, shown_gone

_INTERNAL = (
    "tenant_id",
    "conversation_uid",
    "branch_ref",
    "participant_uid",
    "tools",
    "sections",
    "omissions",
)
_OF_A_PASSAGE = ("document_id", "version", "title", "rank")
_OF_A_MEMORY = (
    *("tool_name", "headline", "rank", "record_indexes", "artifact_uid", "freshness"),
    *("confidence", "confidence_source", "confidence_reason", "limits"),
    *("repair_attempts", "resolution_status"),
)


@dataclass(frozen=True, slots=True)
class ExplainAssembly:
    """The use case with what it works on."""

    graph: Graph
    chooser: Chooser

    async def __call__(self, caller: Caller, assembly_id: str, token: ConsistencyToken) -> dict[str, Any]:
        """The record of one assembly, readable. Raises NotFound."""
        recorded = await read_recorded(self.graph, caller, assembly_id, token.bookmarks)
        record = {name: value for name, value in recorded.record.items() if name not in _INTERNAL}
        record["assembly_id"] = record.pop("uid")
        record["created_at"] = recorded.as_of.now.isoformat().replace("+00:00", "Z")
        memories = {memory["uid"]: memory for memory in recorded.memories}
        passages = {passage["uid"]: passage for passage in recorded.passages}
        omissions = json.loads(recorded.record["omissions"])
        gone = await gone_since(self.graph, caller.tenant_id, recorded.record)
        record["candidate_count"] -= sum(o["count"] for o in omissions if o["reason"] in HIDDEN)
        return {
            **record,
            "conversation_id": recorded.where.conversation_id,
            "branch_id": recorded.where.branch_id,
            "participant_id": recorded.where.participant_id,
            "saved_tokens": record["full_transcript_tokens"] - record["assembled_tokens"],
            "sections": [
                {**section, "items": [_item(item, memories, passages) for item in section["items"]]}
                for section in json.loads(recorded.record["sections"])
            ],
            "omissions": told(omissions),
            "erased": shown_gone(recorded.record, gone),
            "factors": json.loads(record.get("factors") or "{}"),
            "decisions": [
                _decision(decision, omissions)
                for decision in recorded.decisions
                if set(decision["reasons"]) - HIDDEN
            ],
        }

    async def message(self, caller: Caller, message_id: str, token: ConsistencyToken) -> dict[str, Any]:
        """From an answer to the context its model was given. Raises NotFound."""
        origin = await self.graph.read(
            lambda tx: assemblies.find_origin.one(tx, tenant_id=caller.tenant_id, message_id=message_id),
            bookmarks=token.bookmarks,
        )
        if origin is None:
            raise NotFound("message")
        explained = await self(caller, origin["assembly_id"], token) if origin["assembly_id"] else None
        return {**origin, "message_id": message_id, "assembly": explained}

    async def why_not(self, caller: Caller, assembly_id: str, item_id: str) -> dict[str, Any]:
        """The rule that kept an item out of an assembly, recomputed, and what would have to change.

        `item_id` is an item's uid, or the client's id of a message or call. Raises NotFound, also for what
        belongs to a participant other than the one who asked, or to another conversation.
        """
        recorded = await read_recorded(self.graph, caller, assembly_id)
        chosen = await self.chooser.choose(
            caller.tenant_id, assembly_id, recorded.where, recorded.wanted, recorded.as_of
        )
        scope = chosen.candidates.scope
        found = await self.graph.read(
            lambda tx: assemblies.find_item.many(
                tx,
                tenant_id=caller.tenant_id,
                conversation_uid=scope.conversation_uid,
                known_user_uid=scope.known_user_uid,
                stretches=[*scope.lineage.parameters(), *scope.merged.parameters()],
                id=item_id,
            )
        )
        told = [one for item in found if (one := _verdict(item, recorded, chosen)) is not None]
        if not told:
            raise NotFound("item")
        return min(told, key=_telling)


def told(omissions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Omissions as a caller may see them, each with its sentence."""
    return [
        {**entry, "sentence": REASONS[Reason(entry["reason"])].sentence}
        for entry in omissions
        if entry["reason"] not in HIDDEN
    ]


def _decision(decision: dict[str, Any], omissions: list[dict[str, Any]]) -> dict[str, Any]:
    """What one policy decided, without what is private to others."""
    shown = [o for o in omissions if o["policy"] == decision["policy"] and o["reason"] not in HIDDEN]
    return {
        "policy": decision["policy"],
        "policy_version": decision["policy_version"],
        "omitted_count": sum(entry["count"] for entry in shown),
        "reasons": [entry["reason"] for entry in shown],
    }


def _telling(verdict: dict[str, Any]) -> tuple[bool, bool]:
    """An id may name a call and its memories: what is in comes first, then what a rule kept out."""
    outside = verdict.get("reason") in (Reason.NOT_IN_LINEAGE, Reason.BEYOND_CANDIDATES)
    return not verdict["included"], outside


def _verdict(item: dict[str, Any], recorded: Recorded, chosen: Chosen) -> dict[str, Any] | None:
    """What is told of an item; None where it belongs to another participant."""
    uid = item["uid"]
    shown = {"assembly_id": recorded.record["uid"], "uid": uid, "kind": item["kind"], "seq": item["seq"]}
    scope, state = chosen.candidates.scope, chosen.candidates.state
    if uid in chosen.included():
        return {**shown, "included": True}
    seen = visibility.judge(assemblies.governance(item), scope.participant_uid, uid in state.released)
    if seen.reason is Reason.PRIVATE_TO_OTHER:
        return None
    reason = next((r for r, uids in chosen.plan.omissions.by_reason.items() if uid in uids), None)
    reason = reason or _never_judged(item, chosen)
    return {
        **shown,
        "included": False,
        "reason": reason.value,
        "policy": REASONS[reason].policy,
        "sentence": REASONS[reason].sentence,
        "what_would_change_it": REASONS[reason].change,
        "settings": _settings(item, reason, recorded, chosen),
    }


def _never_judged(item: dict[str, Any], chosen: Chosen) -> Reason:
    """Why an item was no candidate."""
    scope = chosen.candidates.scope
    lineage = scope.lineage
    if item["kind"] == Label.KNOWLEDGE_PASSAGE:
        return Reason.NO_MATCH if chosen.candidates.searched else Reason.NO_QUESTION
    if item["kind"] == Label.USER_MEMORY and item["visibility"] != Visibility.BRANCH:
        later = item["recorded_at"] > chosen.asked.now
        return Reason.RECORDED_LATER if later else Reason.BEYOND_CANDIDATES
    if scope.shows(item["branch_ref"], item["seq"]):
        return Reason.BEYOND_CANDIDATES
    after = item["branch_ref"] == lineage.stretches[-1].branch_ref and item["seq"] > lineage.head
    return Reason.RECORDED_LATER if after else Reason.NOT_IN_LINEAGE


def _settings(item: dict[str, Any], reason: Reason, recorded: Recorded, chosen: Chosen) -> dict[str, Any]:
    """The facts and settings that the rule looked at."""
    asked = chosen.asked
    match REASONS[reason].policy:
        case "privacy":
            return {
                "privacy_class": item["privacy_class"],
                "provider": asked.provider,
                **asked.route.model_dump(mode="json"),
            }
        case "visibility":
            return {"visibility": item["visibility"]}
        case "validity" | "freshness" if item["kind"] == Label.USER_MEMORY:
            return {**_validity(item, chosen), "now": asked.now.isoformat()}
        case "freshness":
            return {**_age(item, chosen), "now": asked.now.isoformat()}
        case "promotion":
            return {"promoted": False, "configuration_number": asked.configuration_number}
        case "rehydration":
            return asked.governing.policies.exact.model_dump(mode="json")
        case "knowledge":
            return {"question": asked.question, "covered_min": COVERED_MIN, "near_min": NEAR_MIN}
        case "supersession":
            return {"superseded_by": chosen.plan.superseded.get(item["uid"])}
        case "packing":
            source = asked.governing.profile_source.value
            return {
                "budget_tokens": asked.budget_tokens,
                "profile": asked.profile.name,
                "profile_source": source,
            }
        case _:
            return {"head": recorded.as_of.head, "branch_id": recorded.where.branch_id}


def _age(item: dict[str, Any], chosen: Chosen) -> dict[str, Any]:
    """How a memory ages, by its event and by what its tool's settings add."""
    found = (*chosen.candidates.memories, *chosen.candidates.wide_memories)
    memory = next((one for one in found if one.uid == item["uid"]), None)
    if memory is None:
        return {"freshness": item["freshness"]}
    memory = aged(memory, chosen.asked.governing.policies.of(memory.tool_name))
    stale_after = memory.stale_after.isoformat() if memory.stale_after else None
    return {"freshness": memory.freshness.value, "stale_after": stale_after}


def _validity(item: dict[str, Any], chosen: Chosen) -> dict[str, Any]:
    """From when until when a user memory holds."""
    memory = next(one for one in chosen.candidates.user_memories if one.uid == item["uid"])
    times = (memory.effective_at, memory.valid_until, memory.retracted_at)
    shown = (time and time.isoformat() for time in times)
    return dict(zip(("effective_at", "valid_until", "retracted_at"), shown, strict=True))


def _item(
    item: list[Any], memories: dict[str, dict[str, Any]], passages: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    uid, kind, seq, tokens, why = item
    shown = {"uid": uid, "kind": kind, "seq": seq, "tokens": tokens, "why": why}
    memory = memories.get(uid)
    if memory is not None:
        shown |= {name: memory[name] for name in _OF_A_MEMORY}
    if uid in passages:
        shown |= {name: passages[uid][name] for name in _OF_A_PASSAGE}
    return shown
