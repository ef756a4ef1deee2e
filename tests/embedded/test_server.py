"""A real Neo4j that starts, stops, persists and comes back after every way of dying."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from neo4j import Driver, GraphDatabase
from neo4j.exceptions import DriverError, Neo4jError

from service.embedded import EmbeddedNeo4j, Home, HomeInUse, JarRefused, StartFailed

CLI = str(Path(sys.executable).with_name("runtime-graph"))
WAIT_S = 120
WRITES_BEFORE_KILL = 50
Described = Callable[[Path], EmbeddedNeo4j]


def test_a_first_start_makes_a_private_password_and_answers_on_loopback_only(
    tmp_path: Path, described: Described
) -> None:
    home = tmp_path / "a höme with a space"
    with described(home) as server, connected(server) as driver:
        count(driver)
        assert (home / "password").stat().st_mode & 0o777 == 0o600
        assert home.stat().st_mode & 0o777 == 0o700
        assert server.password.isalnum()
        assert server.password not in command_lines()
        assert listening_addresses(server) == {"127.0.0.1"}
        assert described(home).home.read_address() is not None, "another process can see where it listens"
    assert described(home).home.read_address() is None


def test_data_and_password_outlive_a_stop(home: Path, described: Described) -> None:
    with described(home) as server, connected(server) as driver:
        password = server.password
        driver.execute_query("CREATE (:Kept {n: 1})", database_=server.database)
    assert server.home.running_pid() is None
    with described(home) as server, connected(server) as driver:
        assert server.password == password
        assert count(driver) == 1


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="what a process maps is told by /proc alone")
def test_a_start_maps_the_classes_that_the_last_clean_stop_kept(home: Path, jar_cache: Path) -> None:
    def keeping() -> EmbeddedNeo4j:
        return EmbeddedNeo4j(home, cache=jar_cache, keep_classes=True)

    with keeping() as server:
        assert kept_classes(server) == []
    assert not list((home / "run").glob("*.part"))
    stale = home / "run" / "neo4j-0123456789abcdef.jsa"
    stale.touch()
    with keeping() as server, connected(server) as driver:
        assert len(kept_classes(server)) == 1
        assert count(driver) == 0
    assert not stale.exists(), "an archive of other jars goes"


def test_every_acknowledged_write_outlives_a_kill_of_java(home: Path, described: Described) -> None:
    acknowledged = 0
    with described(home) as server, connected(server) as driver:
        java = server.home.running_pid()
        assert java is not None
        with pytest.raises((DriverError, Neo4jError)), driver.session(database=server.database) as session:
            for n in range(WRITES_BEFORE_KILL * 100):
                session.run("CREATE (:Kept {n: $n})", n=n).consume()
                acknowledged += 1
                if acknowledged == WRITES_BEFORE_KILL:
                    os.kill(java, signal.SIGKILL)
        assert server.wait(WAIT_S) == 128 + signal.SIGKILL
    assert acknowledged >= WRITES_BEFORE_KILL
    with described(home) as server, connected(server) as driver:
        assert count(driver) in (acknowledged, acknowledged + 1)  # One may be committed and not acknowledged.
        assert duplicates(driver) == 0


def test_a_second_starter_on_one_home_is_told_and_harms_nothing(home: Path, described: Described) -> None:
    with described(home) as server, connected(server) as driver:
        with pytest.raises(HomeInUse, match="another process runs the database"):
            described(home).start()
        shown = run_cli("start", home)
        assert (shown.returncode, "another process runs the database" in shown.stderr) == (1, True)
        assert count(driver) == 0
        assert run_cli("status", home).stdout.startswith("ready at bolt://127.0.0.1:")
        login = run_cli("login", home).stdout
        assert server.browser_url in login and server.password not in login
        assert server.password in run_cli("login", home, "--show-password").stdout
    assert run_cli("status", home).stdout.startswith("stopped")
    assert run_cli("login", home).returncode == 1


def test_ctrl_c_in_the_terminal_stops_everything(home: Path) -> None:
    with cli_server(home) as process:
        os.killpg(process.pid, signal.SIGINT)  # As a terminal does: to every process of its foreground group.
        assert process.wait(WAIT_S) == 0
    assert Home(home).running_pid() is None
    last_log = (home / "logs" / "console.log").read_text(encoding="utf-8")
    assert last_log.rstrip().endswith("Stopped."), "Java ended by itself, after its checkpoint"


def test_java_stops_when_the_process_that_started_it_is_killed(home: Path, described: Described) -> None:
    with cli_server(home) as process:
        process.kill()
        process.wait(WAIT_S)
        await_true(lambda: Home(home).running_pid() is None)
    with described(home) as server, connected(server) as driver:
        assert count(driver) == 0


def test_a_java_that_lost_both_its_parents_is_stopped_by_the_next_start(
    home: Path, described: Described
) -> None:
    with cli_server(home) as process:
        left_behind = Home(home).running_pid()
        assert left_behind is not None
        os.kill(parent_of(left_behind), signal.SIGKILL)  # The guard.
        process.kill()
        process.wait(WAIT_S)
    assert Home(home).running_pid() == left_behind
    with described(home) as server, connected(server) as driver:
        assert server.home.running_pid() not in (None, left_behind)
        assert count(driver) == 0


def test_a_process_that_only_has_the_pid_of_an_old_java_is_left_alone(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.lay_out()
    home.pid_file.write_text(str(os.getpid()), encoding="ascii")
    assert home.running_pid() is None


def test_a_port_in_use_is_named_before_java_starts(tmp_path: Path, jar_cache: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        server = EmbeddedNeo4j(tmp_path / "neo4j", cache=jar_cache, bolt_port=port)
        with pytest.raises(StartFailed, match=f"port {port} is in use"):
            server.start()


def test_a_setting_neo4j_does_not_know_is_shown_from_its_log(home: Path, jar_cache: Path) -> None:
    server = EmbeddedNeo4j(home, cache=jar_cache, conf={"server.no_such_setting": "1"})
    with pytest.raises(StartFailed, match=r"(?s)ended with code 1; the end of .*no_such_setting"):
        server.start()
    assert server.home.running_pid() is None


def test_a_lost_password_is_told_at_once(home: Path, described: Described) -> None:
    (home / "password").unlink()
    with pytest.raises(StartFailed, match="password is gone"):
        described(home).start()


def test_neo4j_never_runs_with_a_damaged_jar(home: Path, jar_cache: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    for jar in jar_cache.glob("*.jar"):
        (cache / jar.name).symlink_to(jar)
    damaged = next(cache.glob("neo4j-kernel-5*.jar"))
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2] ^= 1
    damaged.unlink()
    damaged.write_bytes(content)
    server = EmbeddedNeo4j(home, cache=cache, repository_url="http://127.0.0.1:9")
    with pytest.raises(JarRefused, match=r"org\.neo4j:neo4j-kernel:5\."):
        server.start()


@contextmanager
def connected(server: EmbeddedNeo4j) -> Iterator[Driver]:
    with GraphDatabase.driver(
        server.uri, auth=(server.username, server.password), max_transaction_retry_time=0
    ) as driver:
        yield driver


def kept_classes(server: EmbeddedNeo4j) -> list[str]:
    """The archives of Neo4j's classes that its Java has mapped into memory."""
    maps = Path(f"/proc/{server.home.running_pid()}/maps").read_text("utf-8")
    return sorted(set(re.findall(r"neo4j-\w+\.jsa(?=\n)", maps)))


def count(driver: Driver) -> int:
    return int(driver.execute_query("MATCH (k:Kept) RETURN count(k) AS n", database_="neo4j").records[0]["n"])


def duplicates(driver: Driver) -> int:
    query = "MATCH (k:Kept) WITH k.n AS n, count(*) AS times WHERE times > 1 RETURN count(n) AS n"
    return int(driver.execute_query(query, database_="neo4j").records[0]["n"])


def run_cli(command: str, home: Path, *options: str) -> subprocess.CompletedProcess[str]:
    arguments = [CLI, "db", command, "--home", str(home), *options]
    return subprocess.run(arguments, capture_output=True, text=True, timeout=WAIT_S, check=False)


@contextmanager
def cli_server(home: Path) -> Iterator[subprocess.Popen[str]]:
    """`runtime-graph db start` once it is ready, in a process group of its own as a shell would make it."""
    arguments = [CLI, "db", "start", "--home", str(home)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, process_group=0) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().startswith("Neo4j answers at bolt://127.0.0.1:")
            yield process
        finally:
            process.kill()


def await_true(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def parent_of(pid: int) -> int:
    shown = subprocess.run(["ps", "-o", "ppid=", "-p", str(pid)], capture_output=True, text=True, check=True)
    return int(shown.stdout)


def command_lines() -> str:
    return subprocess.run(["ps", "axww", "-o", "command"], capture_output=True, text=True, check=True).stdout


def listening_addresses(server: EmbeddedNeo4j) -> set[str]:
    """The addresses of this machine on which the server's ports accept a connection."""
    port = int(server.uri.rsplit(":", 1)[1])
    own = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    accepting = set()
    for address in own | {"127.0.0.1", "127.0.0.2"}:
        with socket.socket() as probe:
            probe.settimeout(1)
            if probe.connect_ex((str(address), port)) == 0:
                accepting.add(str(address))
    return accepting
