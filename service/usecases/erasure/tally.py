"""What an erasure does, as numbers: nodes by label, edges by type, things in stores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Counts = dict[str, dict[str, int]]


@dataclass(slots=True)
class Tally:
    """Counts of one batch, or of all: `nodes` by label, `edges` by type, `stores` such as blobs.

    While nothing is erased an edge may be met from both of its ends, so edges are kept by number until they
    are counted.
    """

    nodes: Counter[str] = field(default_factory=Counter)
    stores: Counter[str] = field(default_factory=Counter)
    _edges: dict[str, set[int]] = field(default_factory=dict)

    def add(self, row: Mapping[str, Any]) -> None:
        """A row with `labels` and `edges`, as the queries of erasures answer them."""
        self.nodes.update(row.get("labels", ()))
        self.add_edges(row["edges"])

    def add_edges(self, edges: Iterable[Mapping[str, Any]]) -> None:
        """Edges as the database's numbers, by type."""
        for row in edges:
            self._edges.setdefault(row["type"], set()).update(row["ids"])

    def merge(self, other: Tally) -> None:
        """Take over what another one counted."""
        self.nodes.update(other.nodes)
        self.stores.update(other.stores)
        for kind, ids in other._edges.items():
            self._edges.setdefault(kind, set()).update(ids)

    def counts(self) -> Counts:
        """The numbers, without those that are 0."""
        return {
            "nodes": _some(self.nodes),
            "edges": _some({kind: len(ids) for kind, ids in self._edges.items()}),
            "stores": _some(self.stores),
        }


def added(one: Counts, other: Counts) -> Counts:
    """The sum of two."""
    return {
        name: _some(Counter(one.get(name, {})) + Counter(other.get(name, {})))
        for name in ("nodes", "edges", "stores")
    }


def _some(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in sorted(counts.items()) if count}
