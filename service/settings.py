"""Every setting of the service, read from the environment and stated once."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


def default_cache_folder() -> Path:
    """`$XDG_CACHE_HOME/runtime-graph`, or `~/.cache/runtime-graph`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "runtime-graph"


class Settings(BaseSettings):
    """Read once at the start. Environment names are `RUNTIME_GRAPH_` and the field's name in capitals."""

    model_config = SettingsConfigDict(
        env_prefix="RUNTIME_GRAPH_", frozen=True, use_attribute_docstrings=True, validate_by_name=True
    )

    data_folder: Path = Path(".runtime-graph")
    """Where everything that must outlive a start is kept: database, blobs, keys."""

    cache: Path = Field(default_factory=default_cache_folder)
    """Where what can be fetched again is kept, outside the tree and shared by all: Neo4j's jars."""
