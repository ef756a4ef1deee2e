"""No query edits the log: an event and a tree head are created once, and never changed or deleted."""

from __future__ import annotations

import re

import pytest
from sources import query_names

from service.graph.header import body, code_only
from service.graph.query import query

LOG_LABELS = ("Event", "Payload", "TreeHead")
ERASES_PAYLOADS = frozenset(
    {"erasure/erase_payloads", "redaction/record_redactions", "retention/destroy_payloads"}
)
"""Queries that may delete payloads, and note on the event what did it; never events."""
ERASES_WHAT_IT_FOUND = frozenset(
    f"erasure/erase_{what}" for what in ("items", "payloads", "nodes", "traces", "names", "person", "answers")
) | {"tenant/delete_owned"}
"""Queries that delete the nodes of a list that they filled; tests/privacy counts events before and after."""
_CLAUSE = re.compile(
    r"\b(OPTIONAL MATCH|MATCH|MERGE|CREATE|SET|REMOVE|DELETE|DETACH DELETE|WITH|UNWIND|RETURN)\b"
)
_NODE = re.compile(r"\(\s*(\w+)\s*:\s*(\w+)")
_TARGET = re.compile(r"(\w+)\s*(?:\.\s*\w+\s*(?:=|,|$)|\+?=|\[|:\w+)")


def edits(text: str, labels: tuple[str, ...] = LOG_LABELS) -> list[str]:
    """Which variables of these labels a query changes or deletes, other than what it created itself."""
    code = code_only(body(text))
    parts = _CLAUSE.split(code)
    clauses = list(zip(parts[1::2], parts[2::2], strict=True))
    found: list[str] = []
    read: set[str] = set()
    for clause, rest in clauses:
        named = {variable for variable, label in _NODE.findall(rest) if label in labels}
        if clause in ("MATCH", "OPTIONAL MATCH", "MERGE"):
            read |= named
        elif clause in ("DELETE", "DETACH DELETE"):
            found += [f"deletes {one}" for one in re.findall(r"\w+", rest) if one in read]
        elif clause in ("SET", "REMOVE"):
            found += [f"changes {one}" for one in _TARGET.findall(rest) if one in read]
    return found


@pytest.mark.parametrize("name", query_names())
def test_no_query_changes_or_deletes_an_entry_of_the_log(name: str) -> None:
    labels = LOG_LABELS if name not in ERASES_PAYLOADS else ("Event", "TreeHead")
    text = query(name).text
    assert (
        edits(re.sub(r"SET e.erased_by = [$.\w]+", "", text) if name in ERASES_PAYLOADS else text, labels)
        == []
    )


@pytest.mark.parametrize(
    ("text", "edit"),
    [
        ("MATCH (e:Event) SET e.kind = 'pin'", "changes e"),
        ("MATCH (b:Branch) OPTIONAL MATCH (x)-[:Y]->(e:Event {seq: 1}) WITH e SET e += $row", "changes e"),
        ("MATCH (b:Branch)<--(e:Event) SET b.head = 1, e.seq = 2", "changes e"),
        ("MERGE (e:Event {seq: 1}) SET e = $row", "changes e"),
        ("MATCH (e:Event) REMOVE e.hash", "changes e"),
        ("MATCH (e:Event) SET e:Forgotten", "changes e"),
        ("MATCH (e:Event)-[:HAS_PAYLOAD]->(p:Payload) DETACH DELETE e, p", "deletes e"),
        ("MATCH (h:TreeHead) WITH h LIMIT 1 DELETE h", "deletes h"),
    ],
)
def test_an_edit_is_seen(text: str, edit: str) -> None:
    assert edit in edits(text)


def test_only_one_query_creates_events_and_one_creates_tree_heads() -> None:
    creating = {
        label: [name for name in query_names() if re.search(rf"CREATE \(\w+:{label}\b", query(name).text)]
        for label in ("Event", "TreeHead")
    }
    assert creating == {"Event": ["event/append_events"], "TreeHead": ["tree_head/create_tree_heads"]}


def test_nothing_deletes_a_node_whose_label_it_does_not_name() -> None:
    """Else a query could delete events without saying so."""
    found = []
    for name in sorted({*query_names()} - ERASES_WHAT_IT_FOUND):
        code = code_only(body(query(name).text))
        bound = {variable for variable, _ in re.findall(r"[(\[]\s*(\w+)\s*:\s*(\w+)", code)}
        for targets in re.findall(r"\bDELETE\s+([\w, ]+)", code):
            found += [f"{name}: {one}" for one in re.findall(r"\w+", targets) if one not in bound]
    assert found == []
