"""Small recordings of each format, and a place to write bad ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture
def fixture() -> Callable[[str], Path]:
    """The path of a recording by its name."""
    return FIXTURES.joinpath


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str | bytes], Path]:
    """Writes a file for one test."""

    def write(content: str | bytes) -> Path:
        path = tmp_path / "recording.jsonl"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write
