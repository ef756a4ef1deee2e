"""Search files as bytes, whatever they are: logs, ledgers, the folder of a database.

What this cannot see: a short string that Neo4j packs into a property record (up to some 27 bytes, or 54
digits and small letters, in fewer bits a character), and whatever is compressed. There only a long, random
canary proves something, or a folder that was written anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from service.usecases.absence.findings import Findings
from service.usecases.absence.needles import Needles

CHUNK_BYTES: Final = 8 * 1024 * 1024
FILES_MAX: Final = 1_000_000
PLACES_PER_FILE_MAX: Final = 100
"""Places of one needle in one file that are told."""


def scan_files(needles: Needles, folders: dict[str, Path]) -> Findings:
    """Search files, and folders with all below them, by the name of their store; and the names of the files.

    A file that goes away meanwhile is not there any more; one that is not given to be read makes its store
    incomplete, as does a path that does not exist. Links are not followed.
    """
    found = Findings(needles)
    for store, root in folders.items():
        if not root.exists():
            found.incomplete.append(store)
            continue
        for path in _files(root):
            place = str(path.relative_to(root)) if path != root else path.name
            for needle in needles.in_values.found_in(place):
                found.add(store, "(the name of a file)", None, needle)
            _search_file(found, store, path, place)
    return found


def _search_file(found: Findings, store: str, path: Path, place: str) -> None:
    told: dict[int, int] = {}
    try:
        for needle, offset in _matches(found, store, path):
            told[needle] = told.get(needle, 0) + 1
            if told[needle] <= PLACES_PER_FILE_MAX:
                found.add(store, f"{place}:{offset}", None, needle)
    except FileNotFoundError:
        return
    except OSError:
        found.incomplete.append(store)


def _matches(found: Findings, store: str, path: Path) -> Iterator[tuple[int, int]]:
    search = found.needles.in_files
    kept = search.longest  # One byte more than a match can lack, so that its neighbour is seen too.
    tail, start = b"", 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            found.searched[store] += len(chunk)
            data = tail + chunk
            told = len(tail)  # What ends in the tail was told with the chunk before.
            yield from ((needle, start + at) for needle, at, end in search.matches(data) if end > told)
            tail = data[-kept:]
            start += len(data) - len(tail)


def _files(root: Path) -> Iterable[Path]:
    if root.is_file():
        return [root]
    files = (path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    return [path for path, _ in zip(files, range(FILES_MAX), strict=False)]
