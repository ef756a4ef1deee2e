"""Stream a whole graph from one database into another, and tell whether two are the same.

Nodes and relationships are walked by the database's own numbers. Those of the copy differ, so sameness is a
digest over what nodes and relationships are: each by its labels or type, its properties and, for a
relationship, its two ends; summed up, so that their order does not count.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final

from neo4j import Driver, Query

NUMBERS_PER_BATCH: Final = 1_000
TIMEOUT_S: Final = 3_600.0
DIGEST_BYTES: Final = 16
ABSENT: Final = -1

Copied = Callable[[int, int], None]
"""Called with (nodes and relationships ready, in all)."""
Row = dict[str, Any]


@dataclass
class Whole:
    """What a database holds: counts by label and type, and a digest over all."""

    nodes: Counter[str] = field(default_factory=Counter)
    relationships: Counter[str] = field(default_factory=Counter)
    schema: tuple[str, ...] = ()
    node_count: int = 0
    total: int = 0
    _digests: bytearray = field(default_factory=bytearray, repr=False, compare=False)

    @property
    def digest(self) -> str:
        """The sum of all digests, as 64 hexadecimal digits."""
        return f"{self.total:064x}"

    def add_node(self, row: Row) -> None:
        """Take a node in, before any of its relationships."""
        labels = sorted(row["labels"])
        digest = self._add("node", labels, row["properties"])
        self.nodes.update(labels)
        self.node_count += 1
        end = (row["number"] + 1) * DIGEST_BYTES
        self._digests.extend(bytes(max(0, end - len(self._digests))))
        self._digests[end - DIGEST_BYTES : end] = digest[:DIGEST_BYTES]

    def add_relationship(self, row: Row) -> None:
        """Take a relationship in."""
        ends = [self._digest_of(row["start"]), self._digest_of(row["end"])]
        self._add("relationship", [row["type"], *ends], row["properties"])
        self.relationships[row["type"]] += 1

    def _add(self, kind: str, named: list[str], properties: Row) -> bytes:
        told = repr((kind, named, sorted(properties.items())))
        digest = hashlib.sha256(told.encode("utf-8", "surrogatepass")).digest()
        self.total = (self.total + int.from_bytes(digest)) % (1 << 256)
        return digest

    def _digest_of(self, number: int) -> str:
        return self._digests[number * DIGEST_BYTES : (number + 1) * DIGEST_BYTES].hex()


def copy_graph(source: Driver, target: Driver, database: str, copied: Copied) -> Whole:
    """Copy schema, nodes and relationships into an empty database; answers what the source holds."""
    whole = Whole()
    numbers = array("q")
    todo = _count(source, database, "count_nodes") + _count(source, database, "count_relationships")
    done = 0
    for rows in _pages(source, database, "nodes"):
        made = _run(target, database, "create_nodes", rows=rows)
        for row, pair in zip(rows, made, strict=True):
            numbers.extend([ABSENT] * (row["number"] + 1 - len(numbers)))
            numbers[pair["old"]] = pair["new"]
            whole.add_node(row)
        done += len(rows)
        copied(done, todo)
    for rows in _pages(source, database, "relationships"):
        ends = [{"start": numbers[row["start"]], "end": numbers[row["end"]]} for row in rows]
        rows_made = [{**row, **both} for row, both in zip(rows, ends, strict=True)]
        made = _run(target, database, "create_relationships", rows=rows_made)
        if made[0]["made"] != len(rows):
            raise RuntimeError("relationships were lost on the way")
        for row in rows:
            whole.add_relationship(row)
        done += len(rows)
        copied(done, todo)
    whole.schema = _schema(source, database)
    for statement in whole.schema:
        _execute(target, database, statement)
    _run(target, database, "await_indexes")
    return whole


def read_whole(driver: Driver, database: str) -> Whole:
    """What a database holds."""
    whole = Whole(schema=_schema(driver, database))
    for rows in _pages(driver, database, "nodes"):
        for row in rows:
            whole.add_node(row)
    for rows in _pages(driver, database, "relationships"):
        for row in rows:
            whole.add_relationship(row)
    return whole


def _pages(driver: Driver, database: str, what: str) -> Iterator[list[Row]]:
    highest = _run(driver, database, f"highest_{what}")[0]["number"]
    for first in range(0, (ABSENT if highest is None else highest) + 1, NUMBERS_PER_BATCH):
        rows = _run(driver, database, f"read_{what}", first=first, last=first + NUMBERS_PER_BATCH - 1)
        if rows:
            yield rows


def _schema(driver: Driver, database: str) -> tuple[str, ...]:
    """Statements that make the constraints, then the indexes, by name."""
    found = [*_run(driver, database, "list_constraints"), *_run(driver, database, "list_indexes")]
    return tuple(row["statement"] for row in found)


def _count(driver: Driver, database: str, name: str) -> int:
    return int(_run(driver, database, name)[0]["total"])


def _run(driver: Driver, database: str, name: str, **params: Any) -> list[Row]:
    return _execute(driver, database, _text(name), **params)


def _execute(driver: Driver, database: str, text: str, **params: Any) -> list[Row]:
    statement = Query(text, timeout=TIMEOUT_S)
    with driver.session(database=database) as session:
        return session.run(statement, params).data()


@cache
def _text(name: str) -> str:
    return (files("service.embedded") / "copying_cypher" / f"{name}.cypher").read_text(encoding="utf-8")
