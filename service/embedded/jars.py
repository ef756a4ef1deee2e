"""Neo4j's jars, fetched by coordinate and held against the sha256 of `jars.lock`.

The lock names every jar once (`group:artifact:version[:classifier] sha256:<hex>`), so nothing is resolved and
nothing unlisted enters the class path. The cache is a flat folder outside the tree, shared by every home of
this machine. Every start hashes all of it (143 MB, a fifth of a second), so a damaged file is never run.
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from service.embedded.problems import JarRefused

FETCH_THREADS = 8
FETCH_ATTEMPTS_MAX = 3
FETCH_TIMEOUT_S = 20
PART_PREFIX = ".part-"

Progress = Callable[[int, int], None]
"""Called with (jars ready, jars in all) after each jar; from the calling thread only."""


@dataclass(frozen=True, slots=True)
class Jar:
    """One line of the lock."""

    group: str
    artifact: str
    version: str
    classifier: str
    sha256: str

    @property
    def coordinate(self) -> str:
        return ":".join(filter(None, (self.group, self.artifact, self.version, self.classifier)))

    @property
    def filename(self) -> str:
        return "-".join(filter(None, (self.artifact, self.version, self.classifier))) + ".jar"


def read_lock(text: str | None = None) -> tuple[Jar, ...]:
    """Parse a lock (default: the one shipped in this package), in the order of its lines."""
    if text is None:
        text = (files("service.embedded") / "jars.lock").read_text(encoding="utf-8")
    jars = []
    for line in filter(None, map(str.strip, text.splitlines())):
        coordinate, _, digest = line.partition(" sha256:")
        group, artifact, version, *classifier = coordinate.split(":")
        jars.append(Jar(group, artifact, version, "".join(classifier), digest))
    return tuple(jars)


def is_intact(path: Path, jar: Jar) -> bool:
    """Whether the file is there and its bytes are those of the lock."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == jar.sha256
    except FileNotFoundError:
        return False


def fetch_jars(
    cache: Path,
    *,
    jars: tuple[Jar, ...] | None = None,
    repository_url: str | None = None,
    progress: Progress | None = None,
) -> list[Path]:
    """Answer the paths of all jars, verified; fetch those that are missing or damaged into `cache` first.

    `repository_url` names a mirror; the default is the Maven repository that jgo knows. Several processes may
    call this at once: one fetches, the others wait for it and then only verify. Raises `JarRefused`.
    """
    jars = read_lock() if jars is None else jars
    cache.mkdir(parents=True, exist_ok=True)
    with _locked(cache / ".lock"), ThreadPoolExecutor(FETCH_THREADS) as pool:
        paths = [cache / jar.filename for jar in jars]
        missing = [
            jar for jar, intact in zip(jars, pool.map(is_intact, paths, jars), strict=True) if not intact
        ]
        if missing:
            _fetch_missing(pool, cache, missing, len(jars), repository_url, progress)
        elif progress:
            progress(len(jars), len(jars))
    return paths


def _fetch_missing(
    pool: ThreadPoolExecutor,
    cache: Path,
    missing: list[Jar],
    total: int,
    repository_url: str | None,
    progress: Progress | None,
) -> None:
    for left in cache.glob(f"{PART_PREFIX}*"):
        shutil.rmtree(left)  # We hold the lock, so whoever made it was killed.
    # The part folder lies in the cache so that the last step is a rename within one file system.
    part = Path(tempfile.mkdtemp(prefix=PART_PREFIX, dir=cache))
    try:
        fetches = [pool.submit(_fetch_one, jar, cache, part, repository_url) for jar in missing]
        try:
            for ready, fetch in enumerate(as_completed(fetches), start=total - len(missing) + 1):
                fetch.result()
                if progress:
                    progress(ready, total)
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _fetch_one(jar: Jar, cache: Path, part: Path, repository_url: str | None) -> None:
    # Imported late: a start with a full cache needs neither jgo nor its HTTP client.
    from jgo.maven import MavenContext

    remote_repos = {"mirror": repository_url.rstrip("/")} if repository_url else None
    problem = ""
    for attempt in range(FETCH_ATTEMPTS_MAX):
        context = MavenContext(
            repo_cache=part / f"{jar.filename}.{attempt}", remote_repos=remote_repos, timeout=FETCH_TIMEOUT_S
        )
        component = context.project(jar.group, jar.artifact).at_version(jar.version)
        try:
            fetched = component.artifact(classifier=jar.classifier, packaging="jar").resolve()
        except (OSError, RuntimeError) as error:  # requests' errors are OSErrors; jgo's own are RuntimeErrors
            problem = f"it could not be fetched ({type(error).__name__})"
            continue
        if is_intact(fetched, jar):
            fetched.replace(cache / jar.filename)
            return
        problem = "what was fetched has another sha256 than jars.lock names, and is refused"
    advice = "is the network there? RUNTIME_GRAPH_MAVEN_REPOSITORY_URL can name a mirror"
    raise JarRefused(f"{jar.coordinate}: {problem}, in {FETCH_ATTEMPTS_MAX} attempts; {advice}")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
