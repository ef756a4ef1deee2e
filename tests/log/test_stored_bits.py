"""One bit of anything that the log has in the database, changed there, is found at its first bad position."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from notary import NewNotary
from served import Rows
from stored_log import Row, StoredLog, assign
from test_tampering import flipped

from service.model.chain import Envelope
from service.model.nodes import NODES
from service.model.relationships import EDGES
from service.model.vocabulary import Label, Relationship

TOTALS = {"transcript_tokens", "transcript_items", "erased_by"}
"""Beside the envelope and under no hash: running totals made from the items, and the name of what destroyed
the payload, which says nothing while that is there."""
EVENT = [name for name in NODES[Label.EVENT].properties if name not in TOTALS]
BRANCH = ("uid", "tenant_id", "branch_ref", "lineage", "cutoffs", "base", "head", "head_hash")
PROPERTIES: dict[str, tuple[str, ...]] = {
    "event": tuple(EVENT),
    "payload": NODES[Label.PAYLOAD].properties,
    "branch": BRANCH,
    "edge to the parent": EDGES[Relationship.INHERITS].properties,
    "tree head": NODES[Label.TREE_HEAD].properties,
}
CHANGES = {"event": 6, "payload": 9, "branch": 5, "edge to the parent": 9, "tree head": 4}
"""How often each property is changed."""
CASES = sum(CHANGES[place] * len(names) for place, names in PROPERTIES.items())
LOWER_BITS = 4
"""Where a changed seq would meet another one, which the database refuses, it changes above these bits."""


@dataclass(frozen=True)
class Target:
    """A node or an edge of the log, on which branch, and the seq that it is about."""

    id: str
    branch: Row
    seq: int
    values: Row


def targets(log: StoredLog, place: str) -> Iterator[Target]:
    for row in log.branches:
        branch = row["branch"]
        match place:
            case "branch":
                yield Target(row["id"], branch, branch["base"] + 1, branch)
            case "edge to the parent":
                for one in row["parents"]:
                    yield Target(one["id"], branch, branch["base"] + 1, one)
            case "tree head":
                for one in row["heads"]:
                    yield Target(one["id"], branch, one["head"]["seq"], one["head"])
            case _:
                for one in row["events"]:
                    node = one["id"] if place == "event" else one["payload_id"]
                    yield Target(node, branch, one["event"]["seq"], one[place])


def changed(name: str, value: Any, chance: random.Random) -> Any:
    """The value with one bit changed, or with something where nothing was."""
    if value is None or value == []:
        return [1] if name in ("lineage", "cutoffs") else ["00"] if value == [] else "00"
    return value ^ (1 << chance.randrange(LOWER_BITS, 53)) if name == "seq" else flipped(value, chance)


def first_bad(place: str, name: str, target: Target, value: Any) -> int:
    """Where the fault is to be told."""
    before, base = target.values.get(name), target.branch["base"]
    match place, name:
        case "branch", "base":
            return min(before, value) + 1
        case "branch", "head_hash":
            return int(target.branch["head"])
        case "branch", "head":
            return before + 1 if value > before else value if value >= base else value + 1
        case _:
            return target.seq


@pytest.mark.parametrize("place", PROPERTIES)
async def test_one_bit_is_found_in_the_database(new_notary: NewNotary, rows: Rows, place: str) -> None:
    notary = await new_notary()
    log = await StoredLog.read(notary, rows)
    there, missed, made = list(targets(log, place)), [], Counter[str]()
    for name in PROPERTIES[place]:
        chance = random.Random(f"{place} {name}")
        for target in chance.choices(there, k=CHANGES[place]):
            before = target.values.get(name)
            value, edge = changed(name, before, chance), place == "edge to the parent"
            await assign(notary, target.id, {name: value}, edge=edge)
            faults = {fault.branch_uid: fault for fault in (await notary.verdict()).faults}
            await assign(notary, target.id, {name: before}, edge=edge)
            fault = faults.get(target.branch["uid"])
            made[name] += 1
            if fault is None or fault.seq != first_bad(place, name, target, value):
                missed.append((name, target.seq, before, value, [*map(str, faults.values())]))
    print(f"{made.total()} stored bits of the {place}: {dict(made)}")  # noqa: T201
    assert missed == []
    assert (await notary.verdict()).faults == ()


def test_the_envelope_has_every_property_of_an_event_but_its_place_and_the_running_totals() -> None:
    hashed = {"uid" if name == "event_uid" else name for name in Envelope.__slots__}
    assert set(NODES[Label.EVENT].properties) == hashed | {"hash", "branch_ref"} | TOTALS
    assert CASES >= 150
