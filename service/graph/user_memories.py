"""Gateway of user memories."""

from __future__ import annotations

import json
from datetime import datetime

from neo4j.time import DateTime

from service.graph.assemblies import governance
from service.graph.query import Row, query
from service.model.user_memory import UserMemory
from service.model.vocabulary import MemoryKind

open_for_remembering = query("user_memory/open_for_remembering")
list_of_user = query("user_memory/list_of_user")
find_user = query("user/find_user")
find_memory = query("user_memory/find_memory")


def user_memory(row: Row) -> UserMemory:
    """A node as the queries of its noun answer it, with `superseded_by` where they found that."""
    return UserMemory(
        **{name: row[name] for name in _AS_THEY_ARE},
        kind=MemoryKind(row["memory_kind"]),
        place=(row["seq"], row["part"]),
        governance=governance(row),
        subject_uids=tuple(row["subject_uids"]),
        agent=row.get("agent"),
        effective_at=row["effective_at"].to_native(),
        recorded_at=row["recorded_at"].to_native(),
        valid_from=_time(row.get("valid_from")),
        valid_until=_time(row.get("valid_until")),
        retracted_at=_time(row.get("retracted_at")),
        value=json.loads(row["value"]) if row["value"] is not None else "",
        superseded_by=tuple(row.get("superseded_by", ())),
    )


def _time(stored: DateTime | None) -> datetime | None:
    return None if stored is None else stored.to_native()


_AS_THEY_ARE = (
    *("uid", "memory_id", "conversation_uid", "user_uid", "subject", "predicate", "memory_key", "stated_by"),
    *("confidence", "tokens"),
)
