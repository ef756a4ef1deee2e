"""The bundled sample reads as one batch, ends before a call, and holds nothing but the run's messages."""

from __future__ import annotations

import json
from pathlib import Path

from service.importers import read

SAMPLE = Path(__file__).parents[2] / "samples" / "airline-upgrade.json"


def test_the_sample_is_one_batch_that_ends_with_a_result_no_run_has_seen() -> None:
    [conversation] = read(SAMPLE)
    [batch] = conversation.batches
    assert conversation.conversation_id == "airline-upgrade"
    assert batch.events[-1].kind == "tool_result"
    assert conversation.counts()["tool_call"] == 10


def test_the_sample_holds_its_messages_alone() -> None:
    document = json.loads(SAMPLE.read_text())
    assert set(document) == {"id", "title", "messages"}
    fields = {name for message in document["messages"] for name in message}
    assert fields <= {"role", "content", "tool_calls", "tool_call_id", "name"}
