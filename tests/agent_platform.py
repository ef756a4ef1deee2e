"""An agent platform as the tests play it: short events, and a client with a tenant of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import httpx

Json = dict[str, Any]
TRIP = "trip"
"""The conversation of most stories; ids are unique per tenant, and every test has its own."""


def opened(**more: Any) -> Json:
    return {"kind": "conversation", "user_id": "u-mia", **more}


def human(participant_id: str = "mia", **more: Any) -> Json:
    return {
        "kind": "participant",
        "participant_id": participant_id,
        "participant_kind": "human",
        "user_id": f"u-{participant_id}",
        **more,
    }


def agent(participant_id: str = "agent", **more: Any) -> Json:
    return {"kind": "participant", "participant_id": participant_id, "participant_kind": "agent", **more}


OPENING = (opened(), human(), agent())
"""Three events: a conversation with a person and an agent in it."""


def asked(message_id: str, text: str, by: str = "mia", **more: Any) -> Json:
    parts = [{"type": "text", "content": text}]
    return {
        "kind": "message",
        "message_id": message_id,
        "participant_id": by,
        "role": "user",
        "parts": parts,
        **more,
    }


def replied(message_id: str, text: str, by: str = "agent", **more: Any) -> Json:
    return asked(message_id, text, by, **{"role": "assistant", **more})


def ran(run_id: str, by: str = "agent", **more: Any) -> Json:
    return {"kind": "model_run", "run_id": run_id, "participant_id": by, **more}


def called(
    call_id: str, arguments: Any = None, tool: str = "look_up", by: str = "agent", **more: Any
) -> Json:
    return {
        "kind": "tool_call",
        "call_id": call_id,
        "participant_id": by,
        "tool_name": tool,
        "arguments": {"key": call_id} if arguments is None else arguments,
        **more,
    }


def answered(call_id: str, result: Any = None, **more: Any) -> Json:
    return {"kind": "tool_result", "call_id": call_id, "result": result, **more}


def claimed(claim_id: str, *rests_on: Json, text: str = "It is so.", by: str = "agent", **more: Any) -> Json:
    links = [{"role": "query", **link} for link in rests_on]
    return {
        "kind": "claim",
        "claim_id": claim_id,
        "participant_id": by,
        "text": text,
        "rests_on": links,
        **more,
    }


def remembered(memory_id: str, value: str, subject: str = "seat", by: str = "mia", **more: Any) -> Json:
    return {
        "kind": "user_memory",
        "memory_id": memory_id,
        "participant_id": by,
        "memory_kind": "fact",
        "subject": subject,
        "predicate": "is",
        "value": value,
        **more,
    }


def retracted(memory_id: str, by: str = "mia") -> Json:
    return {"kind": "retract", "participant_id": by, "memory_id": memory_id}


def forked(branch_id: str, at_seq: int | None = None, parent: str = "main", **more: Any) -> Json:
    return {"kind": "fork", "branch_id": branch_id, "parent_branch_id": parent, "at_seq": at_seq, **more}


@dataclass(frozen=True)
class Platform:
    """One tenant's client. `record` and `assemble` give the response; `recorded` and `assembled` its body."""

    http: httpx.AsyncClient
    key: str
    tenant_id: str

    async def send(self, method: str, path: str, body: Any = None, **headers: str) -> httpx.Response:
        """Any request under this tenant's key; header names are written with underscores."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {"Authorization": f"Bearer {self.key}", **named}
        return await self.http.request(method, path, json=body, headers=sent)

    async def record(
        self,
        *events: Json,
        at: str = TRIP,
        branch: str = "main",
        idempotency_key: str | None = None,
        expected_head: int | None = None,
    ) -> httpx.Response:
        body = {"conversation_id": at, "branch_id": branch, "events": list(events)}
        if expected_head is not None:
            body["expected_head"] = expected_head
        headers = {"Idempotency_Key": idempotency_key} if idempotency_key else {}
        return await self.send("POST", "/v1/events", body, **headers)

    async def recorded(self, *events: Json, **more: Any) -> Json:
        response = await self.record(*events, **more)
        assert response.status_code == 201, response.text
        return response.json()

    async def assemble(
        self, budget_tokens: int = 2000, by: str = "agent", at: str = TRIP, branch: str = "main", **more: Any
    ) -> httpx.Response:
        headers = {name: more.pop(name) for name in [*more] if name == "Consistency_Token"}
        body = {
            "conversation_id": at,
            "branch_id": branch,
            "participant_id": by,
            "budget_tokens": budget_tokens,
            **more,
        }
        return await self.send("POST", "/v1/assemble", body, **headers)

    async def assembled(self, budget_tokens: int = 2000, **more: Any) -> Json:
        response = await self.assemble(budget_tokens, **more)
        assert response.status_code == 201, response.text
        return response.json()

    async def read(self, path: str, **query: Any) -> Json:
        """A GET with the conversation of most stories; None stands for a parameter that is left out."""
        asked = {"conversation_id": TRIP, **query}
        named = "&".join(f"{name}={value}" for name, value in asked.items() if value is not None)
        response = await self.send("GET", f"{path}?{named}")
        assert response.status_code == 200, response.text
        return response.json()

    async def compact(
        self, compaction_id: str, branch: str = "main", at: str = TRIP, **more: Any
    ) -> httpx.Response:
        body = {"conversation_id": at, "compaction_id": compaction_id, "keep_tokens": 0, **more}
        if "until_seq" in more:
            del body["keep_tokens"]
        return await self.send("POST", f"/v1/branches/{branch}/compact", body)

    async def compacted(self, compaction_id: str, branch: str = "main", **more: Any) -> Json:
        response = await self.compact(compaction_id, branch, **more)
        assert response.status_code == 201, response.text
        return response.json()

    async def configured(self, settings: Json, after: int = 0) -> int:
        """Make a version of the configuration and switch it on, where `after` is active; answers its
        number."""
        made = await self.send("POST", "/v1/configuration", {"settings": settings})
        assert made.status_code == 201, made.text
        number = int(made.json()["version"])
        path = f"/v1/configuration/{number}/activate"
        done = await self.send("POST", path, {"expected_version": after})
        assert done.status_code == 200, done.text
        return number

    async def explained(self, assembly_id: str) -> Json:
        response = await self.send("GET", f"/v1/assemblies/{assembly_id}")
        assert response.status_code == 200, response.text
        return response.json()


NewPlatform = Callable[[], Awaitable[Platform]]
"""Makes a tenant and its client."""


def problem(response: httpx.Response, status: int, code: str) -> Json:
    """The problem document of a refusal, checked for its form."""
    assert response.headers["content-type"] == "application/problem+json", response.text
    told: Json = response.json()
    assert (response.status_code, told["status"], told["code"]) == (status, status, code), told
    assert told["type"] == f"urn:runtime-graph:problem:{code}"
    assert told["title"] and told["detail"] and told["outcome"] in ("not_committed", "unknown")
    return told


def shown(context: Json) -> str:
    """All that a model would read of a context, the system text included."""
    return "\n".join(section["text"] for section in context["sections"])


def section(context: Json, name: str) -> Json:
    """One section, empty where the context has none."""
    return next((one for one in context["sections"] if one["section"] == name), {"text": "", "items": []})
