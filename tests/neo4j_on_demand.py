"""One Neo4j for a whole test run, whichever and however many workers ask for it.

The process that pytest was started in (with pytest-xdist: the controller) listens; the first worker that
needs a database makes it start one, all later ones are told the same address, and it stops with that process.
A run that needs no database starts none. The choice is that of `service.settings`, with a container before
the embedded server where a Docker engine answers.
"""

from __future__ import annotations

import os
import secrets
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Client, Listener
from pathlib import Path
from threading import Thread

from service.embedded import Database, EmbeddedNeo4j, open_database
from service.settings import Settings

ADDRESS_VARIABLE = "RUNTIME_GRAPH_TEST_NEO4J"
IMAGE = "neo4j:5.26-community"
DOCKER_SOCKET = Path("/var/run/docker.sock")
DOCKER_TIMEOUT_S = 5


class Neo4jOnDemand:
    """Listens for `demand_neo4j` until `close`."""

    def __init__(self) -> None:
        key = secrets.token_bytes(16)
        self._listener = Listener(("127.0.0.1", 0), authkey=key)
        self._address = f"{self._listener.address[1]}:{key.hex()}"
        self._running = ExitStack()
        self._thread = Thread(target=self._serve, name="neo4j-on-demand", daemon=True)
        self._thread.start()
        os.environ[ADDRESS_VARIABLE] = self._address  # Workers inherit it.

    def close(self) -> None:
        """Stop listening, and stop the database if one was started."""
        with _connected(self._address) as connection:
            connection.send("close")
        self._thread.join()
        self._listener.close()
        self._running.close()
        del os.environ[ADDRESS_VARIABLE]

    def _serve(self) -> None:
        answer: Database | str | None = None
        while True:
            with self._listener.accept() as connection:
                if connection.recv() == "close":
                    return
                if answer is None:
                    try:
                        answer = self._running.enter_context(_test_database())
                    except Exception as error:
                        answer = f"no Neo4j for the tests: {error}"
                connection.send(answer)


def demand_neo4j() -> Database:
    """The address of this run's database; blocks while it starts."""
    with _connected(os.environ[ADDRESS_VARIABLE]) as connection:
        connection.send("demand")
        answer = connection.recv()
    if not isinstance(answer, Database):
        raise RuntimeError(answer)
    return answer


@contextmanager
def _connected(address: str) -> Iterator[Client]:
    port, key = address.split(":")
    with Client(("127.0.0.1", int(port)), authkey=bytes.fromhex(key)) as connection:
        yield connection


@contextmanager
def _test_database() -> Iterator[Database]:
    settings = Settings()
    if settings.neo4j_uri is not None:
        with open_database(settings) as database:
            yield database
    elif _docker_answers():
        from testcontainers.community.neo4j import Neo4jContainer

        password = secrets.token_hex(16)
        with Neo4jContainer(IMAGE, username="neo4j", password=password) as container:
            yield Database(container.get_connection_url(), "neo4j", password, "neo4j")
    else:
        with (
            tempfile.TemporaryDirectory(prefix="runtime-graph-tests-") as home,
            EmbeddedNeo4j(Path(home), cache=settings.jar_cache) as server,
        ):
            yield Database(server.uri, server.username, server.password, server.database)


def _docker_answers() -> bool:
    if "DOCKER_HOST" not in os.environ and not DOCKER_SOCKET.exists():
        return False
    import docker

    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", ResourceWarning
        )  # The client forgets its socket when no engine answers.
        try:
            client = docker.from_env(timeout=DOCKER_TIMEOUT_S)
        except docker.errors.DockerException:
            return False
        client.close()
        return True
