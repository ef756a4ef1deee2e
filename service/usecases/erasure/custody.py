"""What lies outside the database and outlives every copy of it: keys, the ledger, blobs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from service.graph.ledger_mark import NAME
from service.log.ledger import Ledger
from service.settings import Settings
from service.storage.blobs import Blobs
from service.storage.data_keys import DataKeys


@dataclass(frozen=True, slots=True)
class Custody:
    """What lies outside the database: keys, the ledger and blobs, and what a proof searches beside these.

    `logs` is the folder of the database's transaction log where this process can read it; `files` are further
    files and folders by name. `mark_name` names how far the database has carried this ledger out.
    """

    blobs: Blobs
    data_keys: DataKeys
    ledger: Ledger
    keys_folder: Path
    logs: Path | None
    files: dict[str, Path]
    mark_name: str = NAME


def custody_of(settings: Settings, blobs: Blobs | None = None) -> Custody:
    """As the settings have it."""
    data_keys = DataKeys(settings.data_keys)
    logs = settings.neo4j_home / "data" / "transactions" / "neo4j"
    return Custody(
        blobs=blobs or Blobs.at(settings.blob_url, data_keys),
        data_keys=data_keys,
        ledger=Ledger(settings.ledger),
        keys_folder=settings.keys,
        logs=logs if settings.neo4j_uri is None and logs.exists() else None,
        files={"ledger": settings.ledger, "tree_heads": settings.tree_heads},
    )
