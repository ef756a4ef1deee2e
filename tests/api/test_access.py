"""Access: a key opens its own tenant, as far as its scopes reach, until it is revoked."""

from __future__ import annotations

import secrets
from typing import Any

import httpx
import pytest
from agent_platform import OPENING, TRIP, Json, Platform, asked, problem
from served import Rows

from service.graph.driver import Graph

AGENT = f"conversation_id={TRIP}&participant_id=agent"
RESUME: Json = {"conversation_id": TRIP, "participant_id": "agent", "run_id": "r1"}
"""It answers private state and writes: both scopes are needed."""
CALLS: list[tuple[str, str, Json | None, str]] = [
    ("POST", "/v1/events", {"conversation_id": TRIP, "events": [asked("m1", "x")]}, "record"),
    (
        "POST",
        "/v1/assemble",
        {"conversation_id": TRIP, "participant_id": "agent", "budget_tokens": 900},
        "assemble",
    ),
    ("GET", "/v1/assemblies/none", None, "read"),
    ("GET", "/v1/assemblies/none/why-not/none", None, "read"),
    ("POST", "/v1/assemblies/none/replay", None, "read"),
    ("GET", "/v1/messages/none/why", None, "read"),
    (
        "POST",
        "/v1/artifacts/none/rehydrate",
        {"conversation_id": TRIP, "participant_id": "agent"},
        "read",
    ),
    ("GET", f"/v1/branches/main/pins?conversation_id={TRIP}", None, "read"),
    ("GET", f"/v1/branches/main/working-memory?{AGENT}", None, "read"),
    ("GET", f"/v1/checkpoints/none?{AGENT}", None, "read"),
    ("POST", "/v1/checkpoints/none/resume", RESUME, "read"),
    ("POST", "/v1/checkpoints/none/resume", RESUME, "record"),
    ("PUT", "/v1/knowledge/products/none", {"title": "x"}, "record"),
    ("POST", "/v1/feedback", {"message_id": "none", "user_id": "u", "rating": "up"}, "record"),
    ("GET", "/v1/messages/none/learned", None, "read"),
    ("GET", "/v1/configuration", None, "read"),
    ("POST", "/v1/configuration", {"settings": {}}, "configure"),
    ("POST", "/v1/configuration/1/activate", {"expected_version": 0}, "configure"),
    ("POST", "/v1/configuration/1/what-would-change", None, "read"),
    ("POST", "/v1/answers/none/confidence", {}, "record"),
    ("GET", "/v1/answers/none/confidence", None, "read"),
    ("GET", "/v1/learning-candidates", None, "review"),
    ("POST", "/v1/learning-candidates/none/approve", {"reviewer": "anne", "expected_version": 0}, "review"),
    ("GET", "/v1/knowledge-documents", None, "read"),
    ("PUT", "/v1/knowledge-documents/bags", {"title": "x", "text": "x"}, "review"),
    ("GET", "/v1/privacy-notices", None, "privacy"),
    ("GET", "/v1/users/none", None, "privacy"),
    ("PUT", "/v1/users/none/same-as/other", None, "privacy"),
    ("POST", "/v1/tenants", {"name": "x"}, "operate"),
    ("POST", "/v1/tenants/x/keys", None, "operate"),
    ("DELETE", "/v1/keys/none", None, "operate"),
]


@pytest.mark.parametrize(("method", "path", "body", "scope"), CALLS)
async def test_nothing_opens_without_a_known_key(
    platform: Platform, method: str, path: str, body: Json | None, scope: str
) -> None:
    for authorization in (
        None,
        "Bearer",
        "Bearer ",
        "Bearer rg_",
        f"Bearer rg_{secrets.token_urlsafe(32)}",
        f"Bearer {platform.key}x",
        f"Bearer {platform.key[:-1]}",
        f"Bearer {platform.key.upper()}",
        f"Basic {platform.key}",
        f"bearer{platform.key}",
        "Bearer " + "x" * 5000,
        "Bearer rg_\u00e9",
    ):
        headers = {} if authorization is None else {"Authorization": authorization.encode("latin-1")}
        response = await platform.http.request(method, path, json=body, headers=headers)
        told = problem(response, 401, "unauthorized")
        assert response.headers["www-authenticate"] == "Bearer"
        assert platform.key not in response.text and scope not in told["detail"]


@pytest.mark.parametrize(("method", "path", "body", "scope"), CALLS)
async def test_a_key_reaches_as_far_as_its_scopes(
    platform: Platform,
    operator: Platform,
    graph: Graph,
    method: str,
    path: str,
    body: Json | None,
    scope: str,
) -> None:
    async def narrow(tx: Any) -> None:
        held = [one for one in ("record", "assemble", "read", "configure", "review") if one != scope]
        await tx.run(
            "MATCH (k:ApiKey {tenant_id: $t}) SET k.scopes = $scopes", t=platform.tenant_id, scopes=held
        )

    await graph.write(narrow)
    told = problem(await platform.send(method, path, body), 403, "forbidden")
    assert told["detail"] == f"The API key needs the scope {scope}."
    if scope != "operate":
        problem(await operator.send(method, path, body), 403, "forbidden")


async def test_a_key_opens_its_own_tenant_alone(platform: Platform, neighbour: Platform) -> None:
    await platform.recorded(*OPENING, asked("mine", "x"))
    assert (await platform.send("GET", "/v1/messages/mine/why")).status_code == 200
    problem(await neighbour.send("GET", "/v1/messages/mine/why"), 404, "not_found")


async def test_a_revoked_key_opens_nothing_and_its_sibling_still_does(operator: Platform, rows: Rows) -> None:
    name = f"tenant-{secrets.token_hex(8)}"
    first = (await operator.send("POST", "/v1/tenants", {"name": name})).json()
    second = (await operator.send("POST", f"/v1/tenants/{name}/keys")).json()
    assert first["tenant_id"] == second["tenant_id"]
    old, new = [Platform(operator.http, one["api_key"], one["tenant_id"]) for one in (first, second)]
    await old.recorded(*OPENING)
    assert (await operator.send("DELETE", f"/v1/keys/{first['key_uid']}")).status_code == 204
    problem(await old.record(asked("m1", "x")), 401, "unauthorized")
    await new.recorded(asked("m1", "x"))
    problem(await operator.send("DELETE", f"/v1/keys/{first['key_uid']}"), 404, "not_found")
    stored = await rows("MATCH (k:ApiKey {tenant_id: $t}) RETURN properties(k) AS k", t=first["tenant_id"])
    assert len(stored) == 2
    assert first["api_key"][3:] not in str(stored) and second["api_key"][3:] not in str(stored)


async def test_a_tenants_name_is_taken_once(operator: Platform) -> None:
    name = f"tenant-{secrets.token_hex(8)}"
    assert (await operator.send("POST", "/v1/tenants", {"name": name})).status_code == 201
    again = await operator.send("POST", "/v1/tenants", {"name": name})
    assert problem(again, 409, "id_taken")["location"] == "name"
    problem(await operator.send("POST", "/v1/tenants/nobody/keys"), 404, "not_found")


async def test_health_needs_no_key(http: httpx.AsyncClient) -> None:
    for path in ("/health/live", "/health/ready"):
        assert (await http.get(path)).json() == {"status": "ok"}


async def test_a_tenant_is_never_taken_from_the_body(platform: Platform, neighbour: Platform) -> None:
    body = {"conversation_id": TRIP, "events": [asked("m9", "x")], "tenant_id": neighbour.tenant_id}
    [error] = problem(await platform.send("POST", "/v1/events", body), 422, "invalid_request")["errors"]
    assert error["location"] == "tenant_id"


async def test_a_key_may_do_what_its_scopes_say_and_none_of_a_tenants_keys_is_the_operators(
    operator: Platform,
) -> None:
    name = f"tenant-{secrets.token_hex(8)}"
    made = (await operator.send("POST", "/v1/tenants", {"name": name})).json()
    path = f"/v1/tenants/{name}/keys"
    less = (await operator.send("POST", path, {"scopes": ["record", "record", "assemble"]})).json()
    platform = Platform(operator.http, less["api_key"], made["tenant_id"])
    await platform.recorded(*OPENING)
    problem(await platform.send("GET", "/v1/privacy-requests"), 403, "forbidden")
    for scopes in ([], ["operate"], ["everything"]):
        problem(await operator.send("POST", path, {"scopes": scopes}), 422, "invalid_request")
