"""One Neo4j Community server as a process of its own, over Bolt, on a home folder that outlives it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from neo4j import GraphDatabase
from neo4j.exceptions import AuthError, DriverError, Neo4jError

from service.embedded import guard
from service.embedded.classes import archive_flags, keep_archive
from service.embedded.home import Address, Home
from service.embedded.jars import Progress, fetch_jars
from service.embedded.java import JAVA, environment, set_initial_password, write_server_arguments
from service.embedded.ports import reserve_port
from service.embedded.problems import StartFailed
from service.embedded.processes import stop_running
from service.embedded.swap import settle

USERNAME = "neo4j"
DATABASE = "neo4j"
BOLT_PORT_PREFERRED = 7687
HTTP_PORT_PREFERRED = 7474
POLL_S = 0.1
KILL_WAIT_S = 5.0
STOPPED_CLEANLY = (0, 128 + signal.SIGTERM)
REFUSED_WAIT_S = 60.0
LOG_TAIL_LINES = 15


class EmbeddedNeo4j:
    """A server from `start()` to `stop()`, or for the length of a `with` block.

    `cache` is the folder of the jars. Ports that are not given are the usual ones when they are free, else
    the next free ones above. `conf` adds to or replaces settings of neo4j.conf; `heap_max_mb` is Java's
    -Xmx; `keep_classes` trades 100 MB and a slower first stop for faster starts. All of it blocks: in an
    event loop use `asyncio.to_thread(server.start)`.
    """

    def __init__(
        self,
        home: Path,
        *,
        cache: Path,
        bolt_port: int | None = None,
        http_port: int | None = None,
        heap_max_mb: int = 1024,
        keep_classes: bool = False,
        conf: Mapping[str, str] | None = None,
        start_timeout_ms: int = 180_000,
        stop_timeout_ms: int = 30_000,
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
        self._keep_classes = keep_classes
        self._conf = conf or {}
        self._start_timeout_s = start_timeout_ms / 1000
        self._stop_timeout_s = stop_timeout_ms / 1000
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
        """Start, and return when queries are answered.

        Raises `HomeInUse` when another process runs this home, `JarRefused` when a jar cannot be had,
        `StartFailed` when Neo4j ends or stays silent. A Java that was left behind is stopped first.
        """
        self.home.lay_out()
        self._held.enter_context(self.home.locked())
        try:
            jars = fetch_jars(self._cache, repository_url=self._repository_url, progress=self._progress)
            self._stop_left_behind()
            settle(self.home)
            bolt_port = reserve_port(self._held, self._bolt_port, BOLT_PORT_PREFERRED)
            http_port = reserve_port(self._held, self._http_port, HTTP_PORT_PREFERRED)
            address = Address(f"bolt://127.0.0.1:{bolt_port}", f"http://127.0.0.1:{http_port}/browser/")
            self.home.write_conf(self._conf, bolt_port, http_port)
            flags = archive_flags(self.home.run_folder, Path(JAVA), jars) if self._keep_classes else ()
            write_server_arguments(self.home, jars, self._heap_max_mb, flags=flags)
            if not self.home.was_started:
                set_initial_password(self.home, jars, self._start_timeout_s)
            self._await_ready(address, self._spawn())
            self.home.write_address(address)
            self._address = address
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop, and return when Java has ended: SIGTERM, a bounded wait, then SIGKILL. Twice does no harm."""
        try:
            self.home.write_address(None)
            if self._guard is not None:
                assert self._guard.stdin is not None
                self._guard.stdin.close()
                with suppress(subprocess.TimeoutExpired):
                    if self._guard.wait(self._stop_timeout_s + KILL_WAIT_S) in STOPPED_CLEANLY:
                        keep_archive(self.home.run_folder)
            self._stop_left_behind()
        finally:
            self._guard = None
            self._address = None
            self._held.close()

    def wait(self, timeout_s: float | None = None) -> int:
        """Wait until the server ends by itself; answer its exit code or raise `subprocess.TimeoutExpired`."""
        if self._guard is None:
            raise StartFailed("the server has not been started")
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
            raise StartFailed("the server has not been started")
        return self._address

    def _stop_left_behind(self) -> None:
        pid = self.home.running_pid()
        if pid is not None:
            stop_running(pid, self.home.identity, self._stop_timeout_s)
        self.home.pid_file.unlink(missing_ok=True)

    def _spawn(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-I", guard.__file__, str(self.home.pid_file), str(self._stop_timeout_s)]
        with self.home.log_file.open("wb") as log:
            self._guard = subprocess.Popen(
                [*command, JAVA, self.home.identity],
                env=environment(self.home),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        return self._guard

    def _await_ready(self, address: Address, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + self._start_timeout_s
        while not self._answers(address, process):
            if process.poll() is not None:
                raise StartFailed(f"Neo4j ended with code {process.returncode}; {self._log_tail()}")
            if time.monotonic() > deadline:
                raise StartFailed(f"Neo4j was not ready in {self._start_timeout_s:.0f} s; {self._log_tail()}")
            time.sleep(POLL_S)

    def _answers(self, address: Address, process: subprocess.Popen[bytes]) -> bool:
        auth = (self.username, self.password)
        try:
            with (
                GraphDatabase.driver(address.uri, auth=auth, telemetry_disabled=True) as driver,
                driver.session(database=self.database) as session,
            ):
                session.run("RETURN 1").consume()
        except AuthError:
            # A stranger may have taken the port since it was free: then ours ends soon, and its log says why.
            with suppress(subprocess.TimeoutExpired):
                process.wait(REFUSED_WAIT_S)
                return False
            raise StartFailed(f"Neo4j refuses the password in {self.home.password_file}") from None
        except (DriverError, Neo4jError):
            return False
        return True

    def _log_tail(self) -> str:
        lines = self.home.log_file.read_text(encoding="utf-8", errors="replace").splitlines()
        return f"the end of {self.home.log_file}:\n" + "\n".join(lines[-LOG_TAIL_LINES:])
