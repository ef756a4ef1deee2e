"""The desired schema: what `schema/constraints.cypher` and `schema/indexes.cypher` declare."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

SCHEMA_FOLDER: Final = Path(__file__).resolve().parents[2] / "schema"

UNNAMED = "unknown"

_DECLARATION = re.compile(
    r"CREATE (?P<kind>CONSTRAINT|INDEX) (?P<name>\w+) FOR \(n:(?P<label>\w+)\) "
    r"(?:REQUIRE|ON) \(?(?P<properties>n\.\w+(?:, n\.\w+)*)\)?(?: IS UNIQUE)?"
)
_REFUSED = re.compile(r"with label `(?P<label>\w+)` and propert(?:y|ies) `(?P<first>\w+)`")


@dataclass(frozen=True, slots=True, order=True)
class SchemaItem:
    """A constraint (`unique`) or an index (`range`) over properties of one label."""

    name: str
    kind: str
    label: str
    properties: tuple[str, ...]


@cache
def declared_schema() -> frozenset[SchemaItem]:
    """Every declared constraint and index."""
    files = [SCHEMA_FOLDER / "constraints.cypher", SCHEMA_FOLDER / "indexes.cypher"]
    return frozenset(_item(statement) for file in files for statement in statements(file.read_text("utf-8")))


def statements(text: str) -> list[str]:
    """The statements of a schema file: comment lines dropped, split at semicolons."""
    code = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))
    return [statement.strip() for statement in code.split(";") if statement.strip()]


def constraint_named_in(message: str) -> str:
    """The constraint that a refusal of Neo4j is about.

    Neo4j names the label, the properties and the values, not the constraint. Only the label and the first
    property are read, which come before any value; a test holds that they tell our constraints apart.
    """
    refused = _REFUSED.search(message)
    if refused is None:
        return UNNAMED
    return _constraint_names().get((refused["label"], refused["first"]), UNNAMED)


@cache
def _constraint_names() -> dict[tuple[str, str], str]:
    return {
        (item.label, item.properties[0]): item.name for item in declared_schema() if item.kind == "unique"
    }


def _item(statement: str) -> SchemaItem:
    declared = _DECLARATION.fullmatch(statement)
    if declared is None:
        raise ValueError(f"not a declaration of this house: {statement}")
    return SchemaItem(
        name=declared["name"],
        kind="unique" if declared["kind"] == "CONSTRAINT" else "range",
        label=declared["label"],
        properties=tuple(part.removeprefix("n.") for part in declared["properties"].split(", ")),
    )
