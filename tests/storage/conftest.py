"""A folder of data keys of its own for each test, and the service over the shared Neo4j."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.storage.data_keys import DataKeys


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the data keys lie; what wraps them lies beside it."""
    return tmp_path / "secrets" / "data-keys"


@pytest.fixture
def keys(folder: Path) -> DataKeys:
    """The keys as one process of the service has them."""
    return DataKeys(folder)
