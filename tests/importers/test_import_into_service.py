"""What the importers make is accepted whole by a real service, once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from live_service import make_tenant, rules_broken
from typer.testing import CliRunner

from bench.harness import Running
from service.cli import main
from service.cli.sending import NotSentError, client_for, send
from service.importers import read

Fixture = Callable[[str], Path]
SAMPLE = Path(__file__).parents[2] / "samples" / "airline-upgrade.json"
RECORDINGS = (
    "openai_messages.json",
    "openai_rows.jsonl",
    "tooltalk.json",
    "anthropic.json",
    "claude_code.jsonl",
)


def test_every_format_is_recorded_once_however_often_it_is_imported(
    running: Running, fixture: Fixture
) -> None:
    tenant_id, key = make_tenant(running)
    conversations = [one for name in RECORDINGS for one in read(fixture(name))] + read(SAMPLE)
    with client_for(running.url, key) as client:
        first = [send(client, conversation) for conversation in conversations]
        second = [send(client, conversation) for conversation in conversations]
    assert [sent.events for sent in first] == [sum(one.counts().values()) for one in conversations]
    assert all(sent.repeated and not sent.events for sent in second)
    assert rules_broken(running, tenant_id) == {}


def test_a_long_conversation_in_several_batches_is_recorded_whole(
    running: Running, written: Callable[[str], Path]
) -> None:
    tenant_id, key = make_tenant(running)
    messages = ", ".join(f'{{"role": "user", "content": "word {n}"}}' for n in range(1_500))
    [conversation] = read(written(f"[{messages}]"))
    assert len(conversation.batches) == 2
    with client_for(running.url, key) as client:
        assert send(client, conversation).events == 1_503
        assert send(client, conversation).repeated
    assert rules_broken(running, tenant_id) == {}


def test_a_session_that_has_grown_is_refused_and_stays_as_it_was(
    running: Running, fixture: Fixture, written: Callable[[str], Path]
) -> None:
    tenant_id, key = make_tenant(running)
    [session] = read(fixture("claude_code.jsonl"))
    lines = fixture("claude_code.jsonl").read_text().splitlines()
    [shorter] = read(written("\n".join(lines[:5])))
    with client_for(running.url, key) as client:
        send(client, shorter)
        with pytest.raises(NotSentError, match="409"):
            send(client, session)
        assert send(client, shorter).repeated
    assert rules_broken(running, tenant_id) == {}


def test_the_command_says_what_it_recorded_and_what_was_there(running: Running, fixture: Fixture) -> None:
    _, key = make_tenant(running)
    command = ["import", str(fixture("openai_rows.jsonl")), str(SAMPLE), "--url", running.url, "--key", key]
    first, second = (CliRunner().invoke(main, command) for _ in range(2))
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert "Recorded 3 conversations with" in first.output
    assert "3 were recorded before and are unchanged" in second.output
