"""`runtime-graph import` checks everything first, says what it found, and sends each batch under its key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from service.cli import main, sending
from service.cli.sending import NotSentError, send
from service.importers import idempotency_key, read

Fixture = Callable[[str], Path]


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["import", *map(str, arguments)], env={"RUNTIME_GRAPH_KEY": ""})
    return result.exit_code, result.output


def test_a_dry_run_counts_and_sends_nothing(fixture: Fixture) -> None:
    code, output = run(fixture("openai_rows.jsonl"), fixture("claude_code.jsonl"), "--dry-run")
    assert code == 0
    assert "Nothing was sent" in output
    assert "not imported: 2 lines left behind by a rewind" in output


def test_without_a_key_nothing_is_read(fixture: Fixture) -> None:
    code, output = run(fixture("openai_rows.jsonl"))
    assert code == 2
    assert "--key" in output


def test_every_bad_file_is_named_and_none_is_sent(fixture: Fixture, tmp_path: Path) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    first.write_text('[{"content": "x"}, {"role": "user"}]')
    second.write_text("")
    code, output = run(first, fixture("openai_rows.jsonl"), second, "--key", "k")
    assert code == 1
    assert "Nothing was sent" in output
    assert "[0]" in output and "second.json: is empty" in output


def answering(*responses: httpx.Response | Exception) -> tuple[httpx.Client, list[httpx.Request]]:
    """A client whose service answers these, in order."""
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        response = responses[len(seen) - 1]
        if isinstance(response, Exception):
            raise response
        return response

    return httpx.Client(transport=httpx.MockTransport(answer), base_url="http://service"), seen


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "FIRST_PAUSE_S", 0)


def test_a_batch_whose_outcome_is_unknown_is_sent_again_under_the_same_key(fixture: Fixture) -> None:
    [conversation] = read(fixture("openai_messages.json"))
    client, seen = answering(
        httpx.ConnectError("refused"), httpx.Response(504), httpx.Response(201, json={"repeated": False})
    )
    assert send(client, conversation).events == len(conversation.batches[0].events)
    assert [request.headers["Idempotency-Key"] for request in seen] == [
        idempotency_key(conversation.batches[0])
    ] * 3
    assert len({request.content for request in seen}) == 1


def test_a_conversation_recorded_before_is_told_apart(fixture: Fixture) -> None:
    [conversation] = read(fixture("openai_messages.json"))
    client, _ = answering(httpx.Response(201, json={"repeated": True}))
    sent = send(client, conversation)
    assert (sent.events, sent.repeated) == (0, True)


def test_a_refusal_is_told_in_the_services_words_and_not_repeated(fixture: Fixture) -> None:
    [conversation] = read(fixture("tooltalk.json"))
    problem = {"code": "conflict", "title": "It contradicts", "detail": "The call at x has its result."}
    client, seen = answering(httpx.Response(409, json=problem))
    with pytest.raises(NotSentError, match="tooltalk-7: 409 conflict: The call at x has its result"):
        send(client, conversation)
    assert len(seen) == 1


def test_a_conversation_that_has_grown_is_not_to_be_imported_again(fixture: Fixture) -> None:
    [conversation] = read(fixture("tooltalk.json"))
    client, _ = answering(httpx.Response(409, json={"code": "id_taken", "title": "The id is in use"}))
    with pytest.raises(NotSentError, match="recorded already with other content; what a file has gained"):
        send(client, conversation)


def test_a_service_that_is_not_there_is_said_so_after_a_few_attempts(fixture: Fixture) -> None:
    [conversation] = read(fixture("tooltalk.json"))
    client, seen = answering(*[httpx.ConnectError("refused")] * 10)
    with pytest.raises(NotSentError, match="does not answer"):
        send(client, conversation)
    assert len(seen) == sending.ATTEMPTS_MAX
