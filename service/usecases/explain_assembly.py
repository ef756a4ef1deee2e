"""Explain a recorded assembly: what was in, what was not, and by which rule."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from service.errors import NotFound
from service.graph import assemblies
from service.graph.driver import Graph
from service.model.caller import Caller
from service.model.consistency import ConsistencyToken
from service.model.verdict import SENTENCES, Reason

HIDDEN = {Reason.PRIVATE_TO_OTHER.value}
"""Reasons whose items belong to other participants: not even their number is shown."""


@dataclass(frozen=True, slots=True)
class ExplainAssembly:
    """The use case with what it works on."""

    graph: Graph

    async def __call__(self, caller: Caller, assembly_id: str, token: ConsistencyToken) -> dict[str, Any]:
        """The record of one assembly, readable. Raises NotFound."""
        row = await self.graph.read(
            lambda tx: assemblies.read_assembly.one(tx, tenant_id=caller.tenant_id, assembly_id=assembly_id),
            bookmarks=token.bookmarks,
        )
        if row is None:
            raise NotFound("assembly")
        record = dict(row["assembly"])
        record["assembly_id"] = record.pop("uid")
        record["created_at"] = record["created_at"].iso_format().replace("+00:00", "Z")
        sections = json.loads(record.pop("sections"))
        omissions = json.loads(record.pop("omissions"))
        for name in ("tenant_id", "conversation_uid", "branch_ref", "participant_uid"):
            record.pop(name)
        memories = {memory["uid"]: memory for memory in row["memories"]}
        return {
            **record,
            "saved_tokens": record["full_transcript_tokens"] - record["assembled_tokens"],
            "sections": [
                {**section, "items": [_item(item, memories) for item in section["items"]]}
                for section in sections
            ],
            "omissions": told(omissions),
            "decisions": [
                {name: d[name] for name in ("policy", "policy_version", "omitted_count", "reasons")}
                for d in row["decisions"]
                if set(d["reasons"]) - HIDDEN
            ],
        }


def told(omissions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Omissions as a caller may see them, each with its sentence."""
    return [
        {**entry, "sentence": SENTENCES[Reason(entry["reason"])]}
        for entry in omissions
        if entry["reason"] not in HIDDEN
    ]


def _item(item: list[Any], memories: dict[str, dict[str, Any]]) -> dict[str, Any]:
    uid, kind, seq, tokens, why = item
    shown = {"uid": uid, "kind": kind, "seq": seq, "tokens": tokens, "why": why}
    memory = memories.get(uid)
    if memory is not None:
        names = ("tool_name", "headline", "rank", "record_indexes", "artifact_uid")
        shown |= {name: memory[name] for name in names}
    return shown
