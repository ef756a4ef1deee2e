"""A long conversation with tools, made up the same way every time: what the latency benchmark records."""

from __future__ import annotations

import json
import random

from service.model.events import (
    ConversationEvent,
    Event,
    MessageEvent,
    ModelRunEvent,
    ParticipantEvent,
    TextPart,
    ToolCallEvent,
    ToolResultEvent,
)
from service.model.vocabulary import ParticipantKind, Role

CONVERSATION = "talk"
ASKER = "assistant"
PERSON = "user"
USER = "person"
CITIES = ("Lisbon", "Oslo", "Vienna", "Porto", "Gdansk", "Bergen", "Graz", "Turin", "Ghent", "Malmo")
SENTENCE = (
    "please look for a train that leaves after lunch and keeps the seat near the window because my knee "
    "needs room and the last booking had none of that while the price was fine and the ticket came by mail"
)
ROWS_PER_RESULT = 8


def opening() -> list[Event]:
    """The conversation and its two seats."""
    return [
        ConversationEvent(kind="conversation", user_id=USER),
        ParticipantEvent(
            kind="participant",
            participant_id=PERSON,
            participant_kind=ParticipantKind.HUMAN,
            user_id=USER,
        ),
        ParticipantEvent(kind="participant", participant_id=ASKER, participant_kind=ParticipantKind.AGENT),
    ]


def steps_of_turn(turn: int) -> list[list[Event]]:
    """A turn as a platform records it, one batch per step. Every other turn calls a tool first."""
    chance = random.Random(turn)
    city = chance.choice(CITIES)
    steps: list[list[Event]] = [[_said(turn, PERSON, Role.USER, f"To {city}: {_words(chance, 40)}?")]]
    if turn % 2:
        asks = ToolCallEvent(
            kind="tool_call",
            call_id=f"call-{turn}",
            tool_name="search_trains",
            arguments={"to": city, "date": f"2026-03-{turn % 28 + 1:02}"},
            participant_id=ASKER,
            run_id=f"run-{turn}-asks",
        )
        result = ToolResultEvent(kind="tool_result", call_id=f"call-{turn}", result=_result(chance, city))
        steps += [[_run(f"run-{turn}-asks"), asks], [result]]
    answer = _said(turn, ASKER, Role.ASSISTANT, f"For {city}: {_words(chance, 60)}.", f"run-{turn}")
    return [*steps, [_run(f"run-{turn}"), answer]]


def _said(turn: int, who: str, role: Role, text: str, run_id: str | None = None) -> MessageEvent:
    return MessageEvent(
        kind="message",
        message_id=f"{role}-{turn}",
        participant_id=who,
        role=role,
        parts=[TextPart(type="text", content=text)],
        run_id=run_id,
    )


def _run(run_id: str) -> ModelRunEvent:
    return ModelRunEvent(kind="model_run", run_id=run_id, participant_id=ASKER, model="some-model")


def _words(chance: random.Random, count: int) -> str:
    return " ".join(chance.choices(SENTENCE.split(), k=count))


def _result(chance: random.Random, city: str) -> str:
    trains = [
        {
            "train_id": f"T{chance.randrange(10_000):04}",
            "destination": city,
            "departs": f"{chance.randrange(24):02}:{chance.randrange(60):02}",
            "price_eur": chance.randrange(19, 240),
            "seats": {"first": chance.randrange(9), "second": chance.randrange(60)},
        }
        for _ in range(ROWS_PER_RESULT)
    ]
    return json.dumps({"trains": trains, "searched_for": city})
