"""Jars come by coordinate, are held against the lock, and are fetched once."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest
from maven_repository import Repository, path_of, small_jars

from service.embedded import JarRefused, fetch_jars
from service.embedded.jars import FETCH_ATTEMPTS_MAX, Jar, read_lock

type_of_start = multiprocessing.get_context("spawn")


def test_the_shipped_lock_names_every_jar_once() -> None:
    jars = read_lock()
    assert len(jars) > 200
    assert len({jar.filename for jar in jars}) == len({jar.coordinate for jar in jars}) == len(jars)
    assert {len(jar.sha256) for jar in jars} == {64}
    assert any(jar.classifier for jar in jars)


def test_the_first_fetch_brings_every_jar_and_tells_its_progress(
    tmp_path: Path, jars: tuple[Jar, ...], repository: Repository
) -> None:
    seen: list[tuple[int, int]] = []
    paths = fetch_jars(
        tmp_path, jars=jars, repository_url=repository.url, progress=lambda *step: seen.append(step)
    )
    assert [path.read_bytes() for path in paths] == list(repository.files.values())
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in paths} | {".lock"}


def test_what_a_killed_fetch_left_behind_is_swept(
    tmp_path: Path, jars: tuple[Jar, ...], repository: Repository
) -> None:
    (tmp_path / ".part-left").mkdir()
    fetch_jars(tmp_path, jars=jars, repository_url=repository.url)
    assert not (tmp_path / ".part-left").exists()


def test_a_second_fetch_downloads_nothing(
    tmp_path: Path, jars: tuple[Jar, ...], repository: Repository
) -> None:
    fetch_jars(tmp_path, jars=jars, repository_url=repository.url)
    repository.requests.clear()
    fetch_jars(tmp_path, jars=jars, repository_url=repository.url)
    assert not repository.requests


@pytest.mark.parametrize("damage", [b"", b"alph", b"ALPHA" * 1000])
def test_a_damaged_jar_in_the_cache_is_found_and_fetched_again(
    tmp_path: Path, jars: tuple[Jar, ...], repository: Repository, damage: bytes
) -> None:
    paths = fetch_jars(tmp_path, jars=jars, repository_url=repository.url)
    repository.requests.clear()
    paths[0].write_bytes(damage)
    fetch_jars(tmp_path, jars=jars, repository_url=repository.url)
    assert paths[0].read_bytes() == b"alpha" * 1000
    assert repository.jar_requests == 1


def test_a_jar_with_other_bytes_than_the_lock_names_is_refused(
    tmp_path: Path, jars: tuple[Jar, ...], repository: Repository
) -> None:
    repository.files[path_of(jars[1])] = b"something else"
    with pytest.raises(JarRefused, match=r"org\.example:beta:1\.0: .*another sha256"):
        fetch_jars(tmp_path, jars=jars, repository_url=repository.url)
    assert not (tmp_path / "beta-1.0.jar").exists()
    assert repository.requests[path_of(jars[1])] == FETCH_ATTEMPTS_MAX


def test_what_arrived_before_a_failure_is_kept_for_the_next_try(
    tmp_path: Path, jars: tuple[Jar, ...], repository: Repository
) -> None:
    good = repository.files.pop(path_of(jars[2]))
    with pytest.raises(JarRefused, match=r"org\.example:gamma:1\.0"):
        fetch_jars(tmp_path, jars=jars, repository_url=repository.url)
    repository.files[path_of(jars[2])] = good
    assert len(fetch_jars(tmp_path, jars=jars, repository_url=repository.url)) == 3


def test_a_network_that_fails_is_named_with_the_coordinate(tmp_path: Path, jars: tuple[Jar, ...]) -> None:
    with pytest.raises(
        JarRefused, match=r"org\.example:\w+:1\.0: it could not be fetched \(ConnectionError\)"
    ):
        fetch_jars(tmp_path, jars=jars, repository_url="http://127.0.0.1:9")


def test_processes_that_start_at_once_fetch_each_jar_once(tmp_path: Path, repository: Repository) -> None:
    processes = [type_of_start.Process(target=_fetch, args=(tmp_path, repository.url)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert repository.jar_requests == 3


def _fetch(cache: Path, url: str) -> None:
    assert all(path.exists() for path in fetch_jars(cache, jars=small_jars()[0], repository_url=url))
