"""Conversations over HTTP, as any client would send them: keyed, retried, and told plainly when refused."""

from __future__ import annotations

import time
from dataclasses import dataclass

import httpx

from service.importers import ImportedConversation, body_of, idempotency_key

ATTEMPTS_MAX = 4
FIRST_PAUSE_S = 0.2
TIMEOUT_S = 120.0
WORTH_ANOTHER_ATTEMPT = (502, 503, 504)
TAKEN = (
    "409 id_taken: it, or one of its ids, is recorded already with other content; "
    "what a file has gained since its import cannot be added by importing it again"
)


class NotSentError(Exception):
    """The service refused a batch, or was not there. Says which conversation, and the problem's own words."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of a conversation: the events recorded now; none where it was recorded before."""

    events: int
    repeated: bool


def client_for(url: str, key: str) -> httpx.Client:
    """A client of the service at `url`."""
    return httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=TIMEOUT_S)


def send(client: httpx.Client, conversation: ImportedConversation) -> Sent:
    """Record a conversation, batch by batch. Raises `NotSentError`; sent again, it goes on where it ended."""
    events, repeated = 0, True
    for batch in conversation.batches:
        answer = _post(client, conversation.conversation_id, body_of(batch), idempotency_key(batch))
        if not answer.get("repeated"):
            events, repeated = events + len(batch.events), False
    return Sent(events, repeated)


def _post(client: httpx.Client, conversation_id: str, body: str, key: str) -> dict[str, object]:
    headers = {"Idempotency-Key": key, "Content-Type": "application/json"}
    problem = ""
    for attempt in range(ATTEMPTS_MAX):
        if attempt:
            time.sleep(FIRST_PAUSE_S * 2 ** (attempt - 1))
        try:
            response = client.post("/v1/events", content=body, headers=headers)
        except httpx.TransportError as error:
            problem = f"the service at {client.base_url} does not answer ({type(error).__name__})"
            continue
        if response.status_code == 201:
            answer: dict[str, object] = response.json()
            return answer
        problem = _problem(response)
        if response.status_code not in WORTH_ANOTHER_ATTEMPT:
            break
    raise NotSentError(f"{conversation_id}: {problem}")


def _problem(response: httpx.Response) -> str:
    try:
        told = response.json()
        if told["code"] == "id_taken":
            return TAKEN
        return f"{response.status_code} {told['code']}: {told.get('detail') or told['title']}"
    except (ValueError, KeyError, TypeError):
        return f"the service answered {response.status_code}"
