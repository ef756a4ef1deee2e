"""Take clients' ids out of recorded events: where a field refers to something that is gone."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from service.text.redacting import REDACTED

OTHER_REFERENCES: Final = ("shared_with", "to")
"""Fields that name participants, beside those whose names end with `_id` or `_ids`."""


def without_ids(value: Any, ids: Collection[str], field: str = "") -> Any:
    """The same data, in which no field that refers to something holds one of these ids."""
    match value:
        case str() if value in ids and (field.endswith(("_id", "_ids")) or field in OTHER_REFERENCES):
            return REDACTED
        case list():
            return [without_ids(one, ids, field) for one in value]
        case dict():
            return {key: without_ids(one, ids, key) for key, one in value.items()}
        case _:
            return value
