"""Recording a large batch leaves the event loop free for the requests of others."""

from __future__ import annotations

import asyncio
import dataclasses
import threading

import tiktoken
from agent_platform import OPENING, asked
from wired_tenant import Tenants

from service.model.events import Batch
from service.text.tokens import DEFAULT_ENCODING, Tokenizer
from service.usecases.append_events import IN_LOOP_BYTES_MAX

PATIENCE_S = 10.0


class Patient(Tokenizer):
    """Counts once the event loop has answered: never, where it is the loop itself that counts."""

    loop: asyncio.AbstractEventLoop

    def count(self, text: str) -> int:
        answered = threading.Event()
        self.loop.call_soon_threadsafe(answered.set)
        assert answered.wait(PATIENCE_S), "the event loop stood still"
        return super().count(text)


async def test_a_large_batch_is_counted_while_the_event_loop_goes_on(tenants: Tenants) -> None:
    tenant = await tenants.new()
    patient = Patient(tiktoken.get_encoding(DEFAULT_ENCODING))
    patient.loop = asyncio.get_running_loop()
    record = dataclasses.replace(tenant.use.append_events, tokenizer=patient)
    events = [*OPENING, asked("m1", "word " * (IN_LOOP_BYTES_MAX // 5 + 1))]
    batch = Batch.model_validate({"conversation_id": "trip", "events": events})
    assert (await record(tenant.caller, batch, None)).head == len(events)
