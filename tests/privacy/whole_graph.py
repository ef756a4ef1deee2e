"""All nodes and edges of a tenant as they stand, and what an erasure changed that is not the person's."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

from served import Rows

NODES = """
MATCH (n) WHERE n.tenant_id = $t
RETURN elementId(n) AS id, labels(n)[0] AS label, properties(n) AS kept
"""
EDGES = """
MATCH (one) WHERE one.tenant_id = $t
MATCH (one)-[r]-()
WITH DISTINCT r, startNode(r) AS n, endNode(r) AS m
RETURN elementId(n) AS start, type(r) AS type, elementId(m) AS end, properties(r) AS kept
"""
Node = tuple[str, dict[str, Any]]
Edge = tuple[str, str, str]
SERVICES_OWN = ("Tenant", "PrivacyRequest", "ErasedId", "TreeHead", "ContextAssembly", "PolicyDecision")
WITH_THEIR_SOURCE = ("Judgement", "LearningCandidate", "Insight", "ReviewDecision", "IdempotencyRecord")
MOVES_BY_ITSELF = (
    "head",
    "head_hash",
    "hidden_uids",
    "erasure_count",
    "valid_until",
    "prolonged_at",
    "asker_count",
)


@dataclass(frozen=True)
class Seen:
    """Nodes by the database's id; edges by their ends and type."""

    nodes: dict[str, Node]
    edges: dict[Edge, list[str]]

    @classmethod
    async def of(cls, rows: Rows, tenant_id: str) -> Seen:
        """Everything of a tenant now."""
        nodes = {
            row["id"]: (row["label"], {k: _plain(v) for k, v in row["kept"].items()})
            for row in await rows(NODES, t=tenant_id)
        }
        edges: dict[Edge, list[str]] = {}
        for row in await rows(EDGES, t=tenant_id):
            kept = json.dumps(row["kept"], sort_keys=True, default=str)
            edges.setdefault((row["start"], row["type"], row["end"]), []).append(kept)
        return cls(nodes, {edge: sorted(kept) for edge, kept in edges.items()})

    def text(self) -> str:
        """All properties."""
        return "\n".join(str(node) for node in self.nodes.values()) + str(list(self.edges.values()))

    def where(self, word: str) -> list[str]:
        """Labels and properties that hold a word."""
        return [
            f"{label}.{key}: {value}"
            for label, kept in self.nodes.values()
            for key, value in kept.items()
            if word in str(value)
        ]

    def naming(self, user_id: str) -> list[Node]:
        """Users called so."""
        return [
            node for node in self.nodes.values() if node[0] == "User" and node[1].get("user_id") == user_id
        ]


def touched(before: Seen, after: Seen, user_id: str, listed: set[str]) -> list[Any]:
    """What changed and is neither the person's, nor made of what is, nor the service's own account, nor an
    event that was listed for review."""
    person = before.naming(user_id)[0][1]["uid"]
    theirs = _theirs(before, person)
    stayed = {at for at in before.nodes if at in after.nodes and _is_same(before.nodes[at], after.nodes[at])}
    found: list[Any] = []
    for at, (label, kept) in before.nodes.items():
        if at in theirs or label in SERVICES_OWN or listed & {kept.get("uid"), kept.get("event_uid")}:
            continue
        if at not in stayed:
            if label not in WITH_THEIR_SOURCE and not (label == "EntityName" or label == "KnowledgePassage"):
                found.append(("removed", label, kept))
            continue
        new = after.nodes[at][1]
        changed = {k for k in kept.keys() | new.keys() if kept.get(k) != new.get(k)} - {*MOVES_BY_ITSELF}
        if changed:
            found.append(("changed", label, {k: (kept.get(k), new.get(k)) for k in changed}))
    for edge, kept in before.edges.items():
        start, kind, end = edge
        if {start, end} & theirs or not {start, end} <= stayed:
            continue
        if after.edges.get(edge) != kept:
            found.append(("edge", kind, before.nodes[start], before.nodes[end]))
    added = Counter(label for at, (label, _) in after.nodes.items() if at not in stayed)
    found += [("added", label) for label in added if label not in MADE]
    return found


MADE = ("Event", "Payload", "IdempotencyRecord", "Insight", "ErasedId", "PrivacyRequest", "Notice")
"""What an erasure makes: redactions with their answers, and insights drawn anew."""


def _is_same(old: Node, new: Node) -> bool:
    """Whether it is no other node to which the database gave the number of one that was deleted."""
    return old[0] == new[0] and all(old[1].get(name) == new[1].get(name) for name in ("uid", "event_uid"))


def _theirs(seen: Seen, person: str) -> set[str]:
    """What holds data of the person, and conversations that hold that of nobody else."""
    talks: dict[str, set[str]] = {}
    for (start, kind, end), _ in seen.edges.items():
        if kind == "SUBJECT_OF":
            talks.setdefault(seen.nodes[end][1]["uid"], set()).add(seen.nodes[start][1]["uid"])
    unknown = {
        kept["conversation_uid"]
        for label, kept in seen.nodes.values()
        if label == "Participant" and kept["participant_kind"] == "human"
        if "participant_id" in kept and not kept.get("user_uid")  # else it was an erased person's
    }
    whole = {uid for uid, people in talks.items() if people == {person}} - unknown
    refs = {
        kept["branch_ref"]
        for label, kept in seen.nodes.values()
        if label == "Branch" and kept["conversation_uid"] in whole
    }
    part = {uid for uid, people in talks.items() if person in people}
    events = {
        kept["uid"]
        for label, kept in seen.nodes.values()
        if label == "Event" and (person in kept["subject_uids"] or kept["branch_ref"] in refs)
    }
    found = set()
    for at, (label, kept) in seen.nodes.items():
        if (
            person in kept.get("subject_uids", ())
            or person in (kept.get("user_uid"), kept.get("uid"))
            or kept.get("conversation_uid") in whole
            or kept.get("branch_ref") in refs
            or kept.get("event_uid") in events
            or (
                label in ("Conversation", "Branch", "Participant")
                and kept.get("conversation_uid", kept.get("uid")) in part
            )
        ):
            found.add(at)
    for (start, kind, end), _ in seen.edges.items():
        if kind == "HAS_PASSAGE" and start in found:
            found.add(end)
    return found


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool | list) else str(value)
