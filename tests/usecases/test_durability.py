"""What was acknowledged is there after a crash, once.

The service is a process of its own and the database another one, which is killed and started again. Writers
keep every batch with its answer; a batch without one is sent again under its key until it has one.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from agent_platform import OPENING, TRIP, Json, answered, asked, called
from neo4j import GraphDatabase

from service.embedded import EmbeddedNeo4j
from service.settings import Settings

WRITERS = 4
ACKNOWLEDGED_MIN = 24
"""Batches that are written before the first crash."""
ATTEMPTS_MAX = 6
START_S = 60.0
POLL_S = 0.1
SERVE = "from service.cli import main; main()"


@dataclass
class Sent:
    """One batch under its key, and the answer where one came."""

    key: str
    events: list[Json]
    answer: Json | None = None

    def events_told(self) -> list[Json]:
        """What the answer says of each event."""
        assert self.answer is not None
        return list(self.answer["events"])


@dataclass
class Platform:
    """Writers of one conversation, and what they know of it."""

    http: httpx.Client
    batches: list[Sent] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def send(self, batch: Sent) -> int:
        """Send one batch; its answer is kept when it comes. Answers the status, 0 without a connection."""
        try:
            response = self.http.post(
                "/v1/events",
                json={"conversation_id": TRIP, "events": batch.events},
                headers={"Idempotency-Key": batch.key},
            )
        except httpx.TransportError:
            return 0
        if response.status_code == 201:
            before, batch.answer = batch.answer, response.json()
            assert before is None or before["events"] == batch.answer["events"]
        else:
            assert response.status_code in (503, 504), response.text
            assert response.json()["outcome"] == (
                "unknown" if response.status_code == 504 else "not_committed"
            )
        return response.status_code

    def new(self) -> Sent:
        """A batch of a message, a call and its result."""
        with self.lock:
            number = len(self.batches)
            events = [asked(f"m{number}", "x"), called(f"c{number}"), answered(f"c{number}", {"n": number})]
            self.batches.append(Sent(secrets.token_hex(8), events))
            return self.batches[-1]

    def write_until_refused(self, enough: threading.Event) -> None:
        """Write batch after batch until one has no answer; set `enough` on the way."""
        while self.send(self.new()) == 201:
            if sum(batch.answer is not None for batch in self.batches) >= ACKNOWLEDGED_MIN:
                enough.set()

    def send_the_rest(self) -> None:
        """Send again what has no answer, each under its key."""
        for batch in self.batches:
            for _ in range(ATTEMPTS_MAX):
                if batch.answer is not None or self.send(batch) == 201:
                    break
            assert batch.answer is not None


@contextmanager
def service(
    database: EmbeddedNeo4j, folder: Path, port: int, admin_key: str
) -> Iterator[subprocess.Popen[bytes]]:
    """`runtime-graph serve` as a process of its own, ready; ended when the block ends."""
    environment = {
        **os.environ,
        "NEO4J_URI": database.uri,
        "NEO4J_PASSWORD": database.password,
        "RUNTIME_GRAPH_PORT": str(port),
        "RUNTIME_GRAPH_DATA_FOLDER": str(folder),
        "RUNTIME_GRAPH_ADMIN_KEY": admin_key,
    }
    with (folder / "service.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", SERVE, "serve"], env=environment, stdout=log, stderr=subprocess.STDOUT
        )
    try:
        await_ready(process, port)
        yield process
    finally:
        process.terminate()
        process.wait(START_S)


def await_ready(process: subprocess.Popen[bytes], port: int) -> None:
    """Until the service says that the graph answers."""
    for _ in range(int(START_S / POLL_S)):
        assert process.poll() is None, "the service ended"
        try:
            if httpx.get(f"http://127.0.0.1:{port}/health/ready", timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            pass
        threading.Event().wait(POLL_S)
    raise AssertionError("the service was not ready in time")


def kill_java(database: EmbeddedNeo4j) -> None:
    """`kill -9` of the database's process."""
    pid = database.home.running_pid()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("durable")


def rows(database: EmbeddedNeo4j, cypher: str) -> list[dict[str, Any]]:
    with GraphDatabase.driver(database.uri, auth=(database.username, database.password)) as driver:
        return [record.data() for record in driver.execute_query(cypher).records]


def test_every_acknowledged_event_survives_a_killed_database_and_none_is_there_twice(folder: Path) -> None:
    admin_key, port = secrets.token_urlsafe(24), free_port()
    base = f"http://127.0.0.1:{port}"
    database = EmbeddedNeo4j(
        folder / "neo4j", cache=Settings().jar_cache, bolt_port=free_port(), http_port=free_port()
    )
    with database, service(database, folder, port, admin_key) as process:
        made = httpx.post(
            f"{base}/v1/tenants", json={"name": "t"}, headers={"Authorization": f"Bearer {admin_key}"}
        )
        key = made.raise_for_status().json()["api_key"]
        with httpx.Client(base_url=base, headers={"Authorization": f"Bearer {key}"}, timeout=60) as client:
            platform = Platform(client, [Sent("opening", list(OPENING))])
            assert platform.send(platform.batches[0]) == 201
            enough = threading.Event()
            with ThreadPoolExecutor(WRITERS) as pool:
                writing = [pool.submit(platform.write_until_refused, enough) for _ in range(WRITERS)]
                assert enough.wait(START_S)
                kill_java(
                    database
                )  # right behind acknowledged batches, while every writer waits for its next
                database.stop()
                for one in writing:
                    one.result()
            acknowledged = [batch for batch in platform.batches if batch.answer is not None]
            assert ACKNOWLEDGED_MIN <= len(acknowledged) < len(platform.batches)

            database.start()
            await_ready(process, port)
            platform.send_the_rest()
            for batch in acknowledged[-3:]:
                assert platform.send(batch) == 201
                assert batch.answer is not None and batch.answer["repeated"] is True

        told = {event["uid"]: event["seq"] for batch in platform.batches for event in batch.events_told()}
        stored = rows(database, "MATCH (e:Event) RETURN e.uid AS uid, e.seq AS seq ORDER BY e.seq")
        assert {row["uid"]: row["seq"] for row in stored} == told
        assert [row["seq"] for row in stored] == list(range(1, 3 * len(platform.batches) + 1))
        messages = rows(database, "MATCH (m:Message) RETURN m.message_id AS id")
        assert len({row["id"] for row in messages}) == len(messages) == len(platform.batches) - 1
        [head] = rows(
            database, "MATCH (b:Branch), (e:Event {seq: b.head}) RETURN b.head_hash = e.hash AS same"
        )
        assert head["same"]
