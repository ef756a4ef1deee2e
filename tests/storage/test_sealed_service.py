"""The running service seals what is large: readable through the API, noise in its folder, gone with its
key."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from agent_platform import OPENING, TRIP, Json, answered, asked, called, claimed, human
from live_service import live_service, make_tenant

from bench.harness import Running
from service.embedded import Database
from service.settings import Settings
from service.storage.data_keys import DataKeys

RESULT_BYTES = 50_000
WHOLE_BYTES = 20_000
"""A result of this size goes to the blob store, and whole into a context."""


@dataclass(frozen=True)
class Platform:
    """One tenant of a running service, and the folder where the service keeps all but the database."""

    http: httpx.Client
    tenant_id: str
    folder: Path

    def record(self, *events: Json) -> None:
        answer = self.http.post("/v1/events", json={"conversation_id": TRIP, "events": list(events)})
        assert answer.status_code == 201, answer.text

    def rehydrate(self, call_id: str) -> httpx.Response:
        body = {"conversation_id": TRIP, "participant_id": "agent", "byte_budget": 1_000_000}
        return self.http.post(f"/v1/artifacts/{call_id}/rehydrate", json=body)

    def assembled(self) -> str:
        body = {"conversation_id": TRIP, "participant_id": "agent", "budget_tokens": 100_000}
        answer = self.http.post("/v1/assemble", json=body | {"profile": "thorough"})
        assert answer.status_code == 201, answer.text
        return answer.text

    def evidence(self) -> dict[str, int]:
        seat = {"conversation_id": TRIP, "participant_id": "agent"}
        answer = self.http.get("/v1/claims/k1/evidence", params=seat)
        assert answer.status_code == 200, answer.text
        return dict(answer.json()["statuses"])

    def files_with(self, text: str) -> list[Path]:
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        return [path for path in files if text.encode() in path.read_bytes()]

    def keys(self) -> DataKeys:
        """The data keys, as another process has them."""
        return DataKeys(Settings(data_folder=self.folder).data_keys)


@pytest.fixture(scope="module")
def running(
    neo4j_server: Database, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Running, Path]]:
    """The service as it runs for an operator, and its folder."""
    folder = tmp_path_factory.mktemp("service")
    with live_service(neo4j_server, folder) as served:
        yield served, folder


@pytest.fixture
def platform(running: tuple[Running, Path]) -> Iterator[Platform]:
    """A fresh tenant in which a conversation has begun."""
    served, folder = running
    tenant_id, api_key = make_tenant(served)
    headers = {"Authorization": f"Bearer {api_key}"}
    with httpx.Client(base_url=served.url, headers=headers, timeout=60) as http:
        made = Platform(http, tenant_id, folder)
        made.record(*OPENING, human("leo"), asked("m1", "Hello"))
        yield made


def large(canary: str, size: int = RESULT_BYTES) -> str:
    """A result that goes to the blob store, with something to look for in its middle."""
    noise = "the quick brown fox jumps over it " * (size // 68)
    return f"{noise}{canary} {noise}"


def part_of(call_id: str, result: str) -> Json:
    parts = [{"type": "tool_call_response", "id": call_id, "response": result}]
    said = {"kind": "message", "message_id": f"m-{call_id}", "participant_id": "mia", "role": "user"}
    return said | {"parts": parts}


def of_leo(call_id: str, result: str) -> Json:
    return answered(call_id, result, subject_ids=["u-leo"])


@pytest.mark.parametrize("how", [answered, part_of, of_leo], ids=["event", "part of a message", "of another"])
def test_a_large_result_is_read_back_and_lies_sealed(platform: Platform, how: Any) -> None:
    canary = secrets.token_hex(16)
    result = large(canary)
    platform.record(called("c1"), how("c1", result), claimed("k1", {"call_id": "c1"}))
    told = platform.rehydrate("c1")
    assert (told.status_code, told.json()["content"]) == (200, result)
    assert platform.evidence() == {"resolved": 1}
    assert platform.files_with(canary) == []
    assert len(list(platform.folder.glob(f"blobs/{platform.tenant_id}/*/*/*"))) == 1


@pytest.mark.parametrize("how", [answered, part_of, of_leo], ids=["event", "part of a message", "of another"])
def test_without_its_key_a_result_is_gone_and_the_service_says_so(platform: Platform, how: Any) -> None:
    canary = secrets.token_hex(16)
    platform.record(called("c1"), how("c1", large(canary)), claimed("k1", {"call_id": "c1"}))
    [people] = platform.keys().scopes(platform.tenant_id)
    assert platform.keys().destroy(platform.tenant_id, people)
    told = platform.rehydrate("c1")
    assert (told.status_code, told.json()["code"]) == (503, "source_unreadable")
    assert platform.evidence() == {"broken": 1}


def test_a_context_shows_a_sealed_result_as_long_as_there_is_its_key(platform: Platform) -> None:
    canary = secrets.token_hex(16)
    platform.record(called("c1"), of_leo("c1", large(canary, WHOLE_BYTES)))
    assert canary in platform.assembled()
    [people] = platform.keys().scopes(platform.tenant_id)
    platform.keys().destroy(platform.tenant_id, people)
    assert canary not in platform.assembled()


def test_large_arguments_are_read_again_when_their_result_comes(platform: Platform) -> None:
    canary = secrets.token_hex(16)
    platform.record(called("c1", large(canary), subject_ids=["u-leo", "u-mia"]))
    platform.record(answered("c1", "written"))
    assert platform.files_with(canary) == []
    [people] = platform.keys().scopes(platform.tenant_id)
    assert len(people) == 2


def test_one_batch_about_different_people_seals_for_each(platform: Platform) -> None:
    result = large(secrets.token_hex(16))
    calls = [called("c1"), called("c2"), answered("c1", result), of_leo("c2", result)]
    platform.record(*calls)
    keys, tenant_id = platform.keys(), platform.tenant_id
    mia, leo = keys.scopes(tenant_id)
    assert (len(mia), len(leo)) == (1, 1)
    keys.destroy(tenant_id, mia)
    told = [platform.rehydrate(call_id).status_code for call_id in ("c1", "c2")]
    assert sorted(told) == [200, 503]


def test_keys_are_wrapped_anew_while_the_service_runs(platform: Platform) -> None:
    results = {f"c{number}": large("") for number in range(2)}
    platform.record(called("c0"), answered("c0", results["c0"]))
    assert platform.keys().rotate().unreadable == 0
    platform.record(called("c1"), of_leo("c1", results["c1"]))
    assert {call_id: platform.rehydrate(call_id).json()["content"] for call_id in results} == results
