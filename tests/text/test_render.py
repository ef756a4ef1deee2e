"""What providers ask of a rendered context."""

from __future__ import annotations

import re

import pytest

from service.model.vocabulary import Role
from service.text.render import Format, Pair, Turn, provider_call_id, render

PROVIDERS_TAKE = re.compile(r"[A-Za-z0-9_-]{1,40}")


@pytest.mark.parametrize("call_id", ["run:call 1", "x" * 128, "é", "call_0:~2"])
def test_a_call_id_no_provider_takes_is_replaced_alike_in_call_and_result(call_id: str) -> None:
    turns = [Turn(Role.USER, "Go."), Turn(Role.ASSISTANT, "", (Pair(call_id, "look", "{}", "found"),))]
    openai = render(turns, Format.OPENAI_CHAT)["messages"]
    anthropic = render(turns, Format.ANTHROPIC)["messages"]
    asked = {openai[1]["tool_calls"][0]["id"], anthropic[1]["content"][0]["id"]}
    answered = {openai[2]["tool_call_id"], anthropic[2]["content"][0]["tool_use_id"]}
    assert asked == answered == {provider_call_id(call_id)}
    assert PROVIDERS_TAKE.fullmatch(asked.pop())


def test_a_plain_call_id_stays_and_the_canonical_shape_keeps_every_id() -> None:
    assert provider_call_id("call_oIHazX6yQrB8hUwl4cRilFKj") == "call_oIHazX6yQrB8hUwl4cRilFKj"
    turns = [Turn(Role.ASSISTANT, "", (Pair("run:1", "look", "{}", "found"),))]
    calls, answers = render(turns, Format.CANONICAL)["messages"]
    assert calls["parts"][0]["id"] == answers["parts"][0]["id"] == "run:1"


@pytest.mark.parametrize(
    "arguments", ['{"a":"\\ud800"}', '{"a": NaN}', '{"a":1e999}', "[" * 300 + "]" * 300, "{"]
)
def test_arguments_that_no_answer_could_carry_as_json_stay_the_text_they_were(arguments: str) -> None:
    turns = [Turn(Role.ASSISTANT, "", (Pair("c1", "look", arguments, "found"),))]
    canonical = render(turns, Format.CANONICAL)["messages"][0]["parts"][0]["arguments"]
    anthropic = render(turns, Format.ANTHROPIC)["messages"][-2]["content"][0]["input"]
    assert (canonical, anthropic) == (arguments, {"value": arguments})
