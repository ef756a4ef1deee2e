"""Runs that nobody here wrote: all of them read into valid batches."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from service.importers import TranscriptError, read
from service.model.events import ToolCallEvent, ToolResultEvent

EVAL = Path(__file__).parents[2].parent / "shared" / "eval"


def recorded(name: str) -> Path:
    path = EVAL / name
    if not path.exists():
        pytest.skip(f"the recorded runs are not here: {name}")
    return path


def messages_of(path: Path) -> list[list[dict[str, Any]]]:
    text = gzip.decompress(path.read_bytes()).decode()
    rows = json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines()]
    return [row.get("traj") or row["messages"] for row in rows]


@pytest.mark.parametrize(
    "name",
    [
        "tau-bench/airline-even-tasks.json.gz",
        "bfcl/multi_turn_long_context-even.jsonl.gz",
        "bfcl/multi_turn_base-even.jsonl.gz",
    ],
)
def test_every_run_is_one_batch_with_every_call_and_every_byte_of_every_result(name: str) -> None:
    path = recorded(name)
    conversations = read(path)
    assert len(conversations) == 100
    assert all(len(conversation.batches) == 1 for conversation in conversations)
    for conversation, messages in zip(conversations, messages_of(path), strict=True):
        events = conversation.batches[0].events
        calls = [call["function"] for m in messages for call in m.get("tool_calls") or []]
        recorded_calls = [e for e in events if isinstance(e, ToolCallEvent)]
        assert [e.tool_name for e in recorded_calls] == [call["name"] for call in calls]
        assert [e.arguments for e in recorded_calls] == [json.loads(call["arguments"]) for call in calls]
        results = [m["content"] for m in messages if m["role"] == "tool"]
        assert [e.result for e in events if isinstance(e, ToolResultEvent)] == results


@pytest.mark.parametrize(
    "name",
    [
        "claude-code-log_representative_messages.jsonl",
        "claude-code-log_session_b.jsonl",
        "claude-code-log_todowrite_examples.jsonl",
        "simonw_sample_session.json",
        "simonw_sample_session.jsonl",
    ],
)
def test_every_session_of_claude_code_reads(name: str) -> None:
    assert read(recorded(f"claude-code-jsonl/{name}"))


def test_a_session_with_spoiled_lines_is_refused_at_the_first_of_them() -> None:
    with pytest.raises(TranscriptError) as caught:
        read(recorded("claude-code-jsonl/claude-code-log_edge_cases.jsonl"))
    assert (caught.value.line, caught.value.field) == (10, "message.content")
