"""Which labels, relationship types and properties a query names. Reads the house's own style of Cypher."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection

from service.graph.header import body, code_only, split_top
from service.model.nodes import NODES
from service.model.relationships import EDGES

_PATTERN = re.compile(r"[(\[]\s*(\w*)\s*:\s*(\w+(?:\s*\|\s*\w+)*)(?:\*[\d.]*)?\s*(\{)?")
_ACCESS = re.compile(r"(?<![$\w.])([a-z]\w*)\.(\w+)\b(?!\s*\()")
_MAP_PROJECTION = re.compile(r"(?<![$\w.:])([a-z]\w*)\s*\{\s*((?:\.(?:\w+|\*)\s*,?\s*)+)\}")
_SCHEMA = re.compile(r"\b(?:FOR|REQUIRE|ON)\b")

KNOWN: dict[str, tuple[str, ...]] = {
    **{label.value: node.properties for label, node in NODES.items()},
    **{kind.value: edge.properties for kind, edge in EDGES.items()},
}


def faults(text: str) -> list[str]:
    """What a query names that the model does not, one line each."""
    code = code_only(body(text))
    found: list[str] = []
    bound: dict[str, set[str]] = defaultdict(set)
    for pattern in _PATTERN.finditer(code):
        names = [name.strip() for name in pattern[2].split("|")]
        found += [f"{name} is not in the vocabulary" for name in names if name not in KNOWN]
        names = [name for name in names if name in KNOWN]
        if pattern[1]:
            bound[pattern[1]] |= set(names)
        if pattern[3]:
            found += _unknown(names, _keys(code, pattern.end()))
    for variable, name in _ACCESS.findall(code):
        found += _unknown(bound.get(variable, ()), [name])
    for variable, projected in _MAP_PROJECTION.findall(code):
        found += _unknown(bound.get(variable, ()), re.findall(r"\.(\w+)", projected))
    return found


def literals(text: str) -> list[str]:
    """The string literals of a query."""
    uncommented = re.sub(r"//[^\n]*", "", body(text))
    return [one or two for one, two in re.findall(r"'([^']*)'|\"([^\"]*)\"", uncommented)]


def _keys(code: str, start: int) -> list[str]:
    """Keys of the map that opens just before `start`."""
    depth, end = 1, start
    while depth:
        depth += {"{": 1, "}": -1}.get(code[end], 0)
        end += 1
    return [item.partition(":")[0].strip() for item in split_top(code[start : end - 1])]


def _unknown(names: Collection[str], properties: list[str]) -> list[str]:
    return [
        f"{'|'.join(sorted(names))}.{name} is not in the vocabulary"
        for name in properties
        if names and not any(name in KNOWN[one] for one in names)
    ]
