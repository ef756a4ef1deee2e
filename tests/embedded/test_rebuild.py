"""A database that is written anew holds the same graph, and nothing that was deleted."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from neo4j import Driver, GraphDatabase

from service.embedded import EmbeddedNeo4j, Home
from service.embedded.copying import read_whole
from service.embedded.rebuild import READ_ONLY, rebuild
from service.embedded.swap import PARTS, mark_whole, new_home, settle
from service.usecases.absence.findings import Findings
from service.usecases.absence.needles import Needles
from service.usecases.absence.scan_files import scan_files

REBUILD = "from service.cli import main; main()"
WAIT_S = 300
KEPT_NODES = 2_500
SEED = """
UNWIND range(1, $count) AS n
CREATE (m:Message {tenant_id: 't', uid: 'm-' + n, seq: n, at: datetime('2026-03-01T12:00:00Z'),
  share: n / 7.0, text: $kept + n, parts: ['a', 'b'], none: []})
CREATE (m)-[:DERIVED_FROM {role: 'x'}]->(:Odd:Thing {n: n})
"""
PLANT = """
CREATE (m:Message {tenant_id: 't', uid: $uid, text: $text})-[:REQUESTED {why: $edge}]->
  (:ToolArtifact {uid: $uid + 'a', result: $result, parts: [$list]})
"""
Described = Callable[[Path], EmbeddedNeo4j]


@pytest.fixture
def canaries() -> dict[str, str]:
    """Long and random: what is short is packed, and what repeats itself is compressed."""
    return {name: secrets.token_hex(400) for name in ("text", "result", "list", "edge")} | {
        "uid": secrets.token_hex(100)
    }


def test_what_was_deleted_is_in_the_raw_folder_until_it_is_rebuilt(
    home: Path, described: Described, canaries: dict[str, str]
) -> None:
    needles = Needles.of(texts=canaries.values())
    with described(home) as server, connected(server) as driver:
        seed(driver)
        driver.execute_query(PLANT, canaries, database_="neo4j")
    assert raw(needles, home).unseen() == set(), "each canary is found before the deletion"
    with described(home) as server, connected(server) as driver:
        driver.execute_query("MATCH (m {uid: $uid})-->(a) DETACH DELETE m, a", canaries, database_="neo4j")
        before = read_whole(driver, "neo4j")
        java = server.home.running_pid()
        assert java is not None
        os.kill(java, signal.SIGKILL)
    assert raw(needles, home).counts, "deleting leaves bytes behind"
    shown = run_rebuild(home)
    assert shown.returncode == 0, shown.stderr
    assert f"{before.node_count} nodes and {KEPT_NODES} relationships, digest {before.digest}" in shown.stdout
    assert f"Copied {before.node_count + KEPT_NODES} of" in shown.stderr
    assert raw(needles, home).absent
    assert not new_home(Home(home)).path.exists()
    with described(home) as server, connected(server) as driver:
        assert read_whole(driver, "neo4j") == before
        assert before.nodes == {"Message": KEPT_NODES, "Odd": KEPT_NODES, "Thing": KEPT_NODES}
        assert len(before.schema) == 2
        driver.execute_query("CREATE (:Message {tenant_id: 't', uid: 'after'})", database_="neo4j")
    assert raw(needles, home).absent


def test_a_rebuild_that_dies_on_the_way_leaves_the_old_database_and_after_it_the_new_one(
    home: Path, described: Described, jar_cache: Path
) -> None:
    with described(home) as server, connected(server) as driver:
        seed(driver)
        before = read_whole(driver, "neo4j")
    with pytest.raises(KeyboardInterrupt):
        rebuild(Home(home), serving(jar_cache), interrupt)
    assert new_home(Home(home)).path.exists()
    with described(home) as server, connected(server) as driver:
        assert not new_home(Home(home)).path.exists(), "a start drops what is not whole"
        assert read_whole(driver, "neo4j") == before
    with suppress(Died):
        rebuild(Home(home), dying_at_the_end(jar_cache), lambda ready, total: None)
    assert new_home(Home(home)).path.exists()
    with described(home) as server, connected(server) as driver:
        assert not new_home(Home(home)).path.exists(), "a start finishes the swap"
        assert read_whole(driver, "neo4j") == before


def test_a_running_database_is_not_rebuilt(home: Path, described: Described) -> None:
    with described(home):
        shown = run_rebuild(home)
    assert (shown.returncode, "another process runs the database" in shown.stderr) == (1, True)


def test_a_killed_rebuild_leaves_the_database_as_it_was(home: Path, described: Described) -> None:
    with described(home) as server, connected(server) as driver:
        seed(driver)
        before = read_whole(driver, "neo4j")
    command = [sys.executable, "-c", REBUILD, "db", "rebuild", "--home", str(home)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("Copied"):
                break
        process.kill()
    with described(home) as server, connected(server) as driver:
        assert read_whole(driver, "neo4j") == before


@pytest.mark.parametrize("steps", range(5))
def test_a_swap_that_stopped_after_any_step_is_finished(tmp_path: Path, steps: int) -> None:
    home = half_swapped(tmp_path, steps)
    assert settle(home)
    assert [content(home, part) for part in PARTS] == ["new", "new"]
    assert not new_home(home).path.exists()
    assert not settle(home)


def test_without_the_marker_the_old_store_stays(tmp_path: Path) -> None:
    home = half_swapped(tmp_path, 0)
    (home.path / "rebuilt").unlink()
    assert not settle(home)
    assert [content(home, part) for part in PARTS] == ["old", "old"]
    assert not new_home(home).path.exists()


class Died(Exception):
    """What a test lets happen instead of a crash."""


def half_swapped(folder: Path, steps: int) -> Home:
    """A home whose swap has done so many of its four renames."""
    home = Home(folder)
    made = new_home(home)
    for part in PARTS:
        for path, said in ((folder, "old"), (made.path, "new")):
            (path / "data" / part / "neo4j").mkdir(parents=True)
            (path / "data" / part / "neo4j" / "store").write_text(said)
    mark_whole(home)
    (made.path / "old").mkdir()
    for step in range(steps):
        live, new = (
            folder / "data" / PARTS[step // 2] / "neo4j",
            made.path / "data" / PARTS[step // 2] / "neo4j",
        )
        if step % 2 == 0:
            live.rename(made.path / "old" / PARTS[step // 2])
        else:
            new.rename(live)
    return home


def content(home: Home, part: str) -> str:
    return (home.path / "data" / part / "neo4j" / "store").read_text()


def seed(driver: Driver) -> None:
    for text in (
        "CREATE CONSTRAINT message_uid FOR (m:Message) REQUIRE m.uid IS UNIQUE",
        "CREATE INDEX message_place FOR (m:Message) ON (m.tenant_id, m.seq)",
    ):
        driver.execute_query(text, database_="neo4j")
    driver.execute_query(SEED, {"count": KEPT_NODES, "kept": secrets.token_hex(60)}, database_="neo4j")
    driver.execute_query("CREATE ({without: 'a label'})", database_="neo4j")


def raw(needles: Needles, home: Path) -> Findings:
    return scan_files(needles, {"database": home})


def interrupt(ready: int, total: int) -> None:
    raise KeyboardInterrupt


def serving(jar_cache: Path) -> Callable[[Path, Mapping[str, str]], EmbeddedNeo4j]:
    return lambda path, conf: EmbeddedNeo4j(path, cache=jar_cache, conf=conf)


def dying_at_the_end(jar_cache: Path) -> Callable[[Path, Mapping[str, str]], EmbeddedNeo4j]:
    """Servers of which the old store's ends badly, when all is done but the swap."""

    class Dying(EmbeddedNeo4j):
        def stop(self) -> None:
            super().stop()
            raise Died

    def made(path: Path, conf: Mapping[str, str]) -> EmbeddedNeo4j:
        return (Dying if conf == READ_ONLY else EmbeddedNeo4j)(path, cache=jar_cache, conf=conf)

    return made


def connected(server: EmbeddedNeo4j) -> Driver:
    return GraphDatabase.driver(server.uri, auth=(server.username, server.password))


def run_rebuild(home: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", REBUILD, "db", "rebuild", "--home", str(home)]
    return subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S, check=False)
