"""Gateway of recording: opening a branch, taking its lock, and writing what a batch makes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from service.graph.driver import Transaction
from service.graph.query import Row, query
from service.ids import new_uid

open_for_append = query("branch/open_for_append")
advance_head = query("branch/advance_head")
create_branches = query("branch/create_branches")
update_branches = query("branch/update_branches")
merge_branches = query("branch/merge_branches")
create_conversation = query("conversation/create_conversation")
note_subjects = query("conversation/note_subjects")
create_participants = query("participant/create_participants")
ensure_users = query("user/ensure_users")
append_events = query("event/append_events")
read_link = query("event/read_link")
create_messages = query("message/create_messages")
create_model_runs = query("model_run/create_model_runs")
create_tool_calls = query("tool_call/create_tool_calls")
create_tool_artifacts = query("tool_artifact/create_tool_artifacts")
complete_tool_artifacts = query("tool_artifact/complete_tool_artifacts")
create_tool_memories = query("tool_memory/create_tool_memories")
create_claims = query("claim/create_claims")
connect_claims = query("claim/connect_claims")
create_user_memories = query("user_memory/create_user_memories")
connect_user_memories = query("user_memory/connect_user_memories")
retract_user_memories = query("user_memory/retract_user_memories")
create_pins = query("pin/create_pins")
end_pins = query("pin/end_pins")
create_skill_states = query("skill_state/create_skill_states")
create_working_memories = query("working_memory/create_working_memories")
list_standing = query("working_memory/list_standing")
create_checkpoints = query("continuation_checkpoint/create_checkpoints")
create_releases = query("release/create_releases")
create_compactions = query("compaction/create_compactions")
create_summary_lines = query("summary_line/create_summary_lines")
record_redactions = query("redaction/record_redactions")


async def ensured_users(
    tx: Transaction, tenant_id: str, users: Mapping[str, str], now: datetime
) -> list[Row]:
    """Rows of data subjects by the client's ids, which come with their digests; one that is not known yet is
    made."""
    rows = [
        {"user_id": one, "id_digest": digest, "uid": new_uid(), "created_at": now}
        for one, digest in users.items()
    ]
    return await ensure_users.many(tx, tenant_id=tenant_id, users=rows) if rows else []


async def write_rows(tx: Transaction, tenant_id: str, rows: dict[str, list[Row]]) -> None:
    """Create the nodes of a batch in an order in which every edge finds both ends; empty kinds cost
    nothing."""
    for name, create in _CREATORS.items():
        if rows[name]:
            await create.none(tx, tenant_id=tenant_id, **{name: rows[name]})


_CREATORS: dict[str, Any] = {
    "participants": create_participants,
    "branches": create_branches,
    "changes": update_branches,
    "merges": merge_branches,
    "runs": create_model_runs,
    "messages": create_messages,
    "calls": create_tool_calls,
    "artifacts": create_tool_artifacts,
    "memories": create_tool_memories,
    "claims": create_claims,
    "evidence": connect_claims,
    "user_memories": create_user_memories,
    "memory_links": connect_user_memories,
    "retractions": retract_user_memories,
    "pins": create_pins,
    "unpins": end_pins,
    "skill_states": create_skill_states,
    "working_memories": create_working_memories,
    "checkpoints": create_checkpoints,
    "releases": create_releases,
    "compactions": create_compactions,
    "summary_lines": create_summary_lines,
    "redactions": record_redactions,
}
