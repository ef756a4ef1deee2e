"""Search every property of every node and relationship, whatever its label or type."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Final

from service.graph.absence import FREED_LABELS, Walked, all_nodes
from service.graph.driver import Graph
from service.model.vocabulary import Label
from service.usecases.absence.findings import GRAPH, Findings
from service.usecases.absence.needles import Needles

NAME_PEOPLE: Final = FREED_LABELS | {Label.BOOKING.value}
"""Labels whose `subject_uids` or `user_uid` name no erased person."""
SERVICE_MADE: Final = ("uid", "event_uid", "branch_uid")
"""Properties by which a place is named: the service made them."""
SERVICES_OWN: Final = {
    label.value: label.value
    for label in (
        *(Label.TENANT_CONFIGURATION, Label.ERASED_ID, Label.MIGRATION, Label.MIGRATION_LOCK),
        *(Label.JOB_LEASE, Label.LEDGER_MARK),
    )
}
"""Labels whose nodes have none of these and are nobody's data: a place there is named by the label."""


async def scan_graph(
    graph: Graph,
    needles: Needles,
    *,
    tenant_id: str | None = None,
    erased: Collection[str] = (),
    without: Collection[str] = (),
) -> Findings:
    """Search one tenant's nodes and those without a tenant, or without `tenant_id` everybody's.

    `erased` are pseudonyms: no item may name one in `subject_uids`, no booking in `user_uid`. An erased event
    that still has its payload, and a payload without its event, are hits too. What is of the people `without`
    and of nobody else is not searched.
    """
    found = Findings(needles)
    people = set(erased)
    async for rows in all_nodes(graph, tenant_id, Walked(), without=without):
        for row in rows:
            search_node(found, row, people)
    return found


def search_node(found: Findings, row: dict[str, Any], people: set[str]) -> None:
    """Search a node as the walk gives it."""
    label, properties = ":".join(row["labels"]), row["properties"]
    uid = next((properties[name] for name in SERVICE_MADE if name in properties), SERVICES_OWN.get(label))
    _search_properties(found, label, properties, uid)
    for relationship in row["relationships"]:
        _search_properties(found, relationship["type"], relationship["properties"], uid)
    if not NAME_PEOPLE.isdisjoint(row["labels"]):
        if not people.isdisjoint(properties.get("subject_uids") or ()):
            found.add(GRAPH, f"{label}.subject_uids names an erased person", uid)
        if properties.get("user_uid") in people:
            found.add(GRAPH, f"{label}.user_uid names an erased person", uid)
    if row["keeps_payload"]:
        found.add(GRAPH, f"{label} is erased and has its payload", uid)
    if row["loose"]:
        found.add(GRAPH, f"{label} without its event", uid)


def _search_properties(found: Findings, name: str, properties: dict[str, Any], uid: str | None) -> None:
    texts = [(key, text) for key, value in properties.items() for text in _texts(value)]
    found.searched[GRAPH] += len(texts)
    search = found.needles.in_values
    if not search.in_any([text for _, text in texts]):
        return
    for key, text in texts:
        for needle in sorted(search.found_in(text)):
            found.add(GRAPH, f"{name}.{key}", uid, needle)


def _texts(value: Any) -> Iterable[str | bytes]:
    if isinstance(value, str | bytes):
        return (value,)
    return (text for one in value for text in _texts(one)) if isinstance(value, list) else ()
