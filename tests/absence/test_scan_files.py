"""Whatever lies in a folder is searched, byte by byte, and only the place of a hit is told."""

from __future__ import annotations

import secrets
from pathlib import Path

from service.usecases.absence import scan_files as scanning
from service.usecases.absence.findings import UNNAMEABLE
from service.usecases.absence.needles import Needles
from service.usecases.absence.scan_files import scan_files


def test_a_hit_is_told_by_file_and_offset(tmp_path: Path) -> None:
    canary = secrets.token_hex(8)
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "service.log").write_bytes(b"x" * 1_000 + canary.encode() + b"y" * 10)
    (tmp_path / "clean").write_bytes(b"nothing")
    found = scan_files(Needles.of(texts=[canary, "not there"]), {"logs": tmp_path})
    assert [(hit.store, hit.place, hit.needle) for hit in found.hits] == [
        ("logs", "below/service.log:1000", 0)
    ]
    assert (found.searched["logs"], found.unseen(), found.absent) == (1_033, {1}, False)
    assert canary not in repr(found)


def test_one_that_lies_across_two_reads_is_found_once(tmp_path: Path) -> None:
    canary = secrets.token_hex(8)
    path = tmp_path / "large"
    for before in (16, 8, 1, 0):
        path.write_bytes(b"x" * (scanning.CHUNK_BYTES - before) + canary.encode() + b"y" * 100)
        found = scan_files(Needles.of(texts=[canary]), {"one": path})
        assert [hit.place for hit in found.hits] == [f"large:{scanning.CHUNK_BYTES - before}"], before


def test_the_name_of_a_file_is_searched_and_not_told(tmp_path: Path) -> None:
    canary = secrets.token_hex(8)
    (tmp_path / f"export-of-{canary}.json").write_text(canary)
    found = scan_files(Needles.of(texts=[canary]), {"exports": tmp_path})
    assert sorted(hit.place for hit in found.hits) == [UNNAMEABLE, "(the name of a file)"]
    assert canary not in repr(found)


def test_a_folder_that_is_not_there_is_not_taken_for_a_clean_one(tmp_path: Path) -> None:
    found = scan_files(Needles.of(texts=["canary"]), {"logs": tmp_path / "absent"})
    assert (found.incomplete, found.absent) == (["logs"], False)


def test_nothing_found_in_all_that_there_is_is_absence(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("quiet")
    assert scan_files(Needles.of(texts=["canary"]), {"logs": tmp_path}).absent
