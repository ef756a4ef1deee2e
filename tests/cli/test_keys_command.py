"""`runtime-graph keys rotate-encryption`, on the folder of secrets that the settings name."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from service.cli import main
from service.settings import Settings
from service.storage.data_keys import DataKeys
from service.storage.key_files import ENCRYPTION_NAME


def rotate() -> tuple[int, str]:
    ended = CliRunner().invoke(main, ["keys", "rotate-encryption"])
    return ended.exit_code, ended.output


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of data keys in a data folder of the test."""
    monkeypatch.setenv("RUNTIME_GRAPH_DATA_FOLDER", str(tmp_path))
    return Settings().data_keys


def test_an_operator_rotates_what_wraps_the_data_keys(folder: Path) -> None:
    assert rotate()[0] == 0, "with no key yet there is nothing to do"
    made = DataKeys(folder).key("acme", ["ada"])
    before = (folder.parent / ENCRYPTION_NAME).read_bytes()
    code, output = rotate()
    assert (code, "1 data keys" in output) == (0, True)
    assert (folder.parent / ENCRYPTION_NAME).read_bytes() != before
    assert DataKeys(folder).find("acme", ["ada"]) == made


def test_an_operator_is_told_of_keys_that_cannot_be_read(folder: Path) -> None:
    DataKeys(folder).key("acme", ["ada"])
    [path] = folder.rglob("acme/*.key")
    path.write_bytes(b"damaged")
    code, output = rotate()
    assert (code, "1 could not be read" in output) == (1, True)
    (folder.parent / ENCRYPTION_NAME).unlink()
    code, output = rotate()
    assert (code, "key-encryption key is gone" in output) == (1, True)
