"""Java's archive of Neo4j's classes: a home makes it at its first clean stop, and starts faster with it.

Reading and verifying some 14,000 classes from jars is most of a start. Java writes what it loaded to one file
(class data sharing), which it maps at the next start. The file holds classes and nothing of the data.
"""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

JAVA_TIMEOUT_S = 60.0
PART = ".part"


def archive_flags(folder: Path, java: Path, jars: Sequence[Path]) -> tuple[str, ...]:
    """The JVM flags that use the archive in `folder`, or that make one at a clean stop when there is none.

    An archive is for one Java and one set of jars, as `_key` tells; those of others are removed. Without a
    base archive of Java's own classes, which the wheel lacks and this makes, there are no flags.
    """
    key = _key(java, jars)
    base, archive = folder / f"java-{key}.jsa", folder / f"neo4j-{key}.jsa"
    for other in set(folder.glob("*.jsa*")) - {base, archive}:
        other.unlink()
    if not base.exists() and not _make_base(java, base):
        return ()
    if archive.exists():
        return (f"-XX:SharedArchiveFile={base}:{archive}",)
    return (f"-XX:SharedArchiveFile={base}", f"-XX:ArchiveClassesAtExit={archive}{PART}")


def keep_archive(folder: Path) -> None:
    """After a clean stop: what Java wrote at its end is whole, so that the next start may use it."""
    for part in folder.glob(f"neo4j-*.jsa{PART}"):
        part.replace(part.with_suffix(""))


def _make_base(java: Path, base: Path) -> bool:
    part = base.with_suffix(f".jsa{PART}")
    command = [str(java), "-Xshare:dump", "-XX:+UseG1GC", f"-XX:SharedArchiveFile={part}"]
    with suppress(subprocess.TimeoutExpired, OSError):
        subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=JAVA_TIMEOUT_S, check=False
        )
        part.replace(base)
    return base.exists()


def _key(java: Path, jars: Sequence[Path]) -> str:
    # Java compares times and sizes too, and would silently go without an archive that does not match.
    stats = [(path, path.stat()) for path in (java, *jars)]
    told = "\n".join(f"{path}:{stat.st_size}:{stat.st_mtime_ns}" for path, stat in stats)
    return hashlib.sha256(told.encode()).hexdigest()[:16]
