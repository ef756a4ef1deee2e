"""The queries keep their contract: headers, the closed vocabulary, parameters, one place that loads each."""

from __future__ import annotations

import ast
import re
from collections import Counter
from enum import StrEnum

import pytest
from cypher_words import faults, literals
from sources import ROOT, imported_modules, modules, query_names, string_constants

from service.graph.header import HeaderError
from service.graph.query import CYPHER_FOLDER, Query, query
from service.graph.schema import declared_schema
from service.model import vocabulary
from service.model.nodes import NODES

ALL_QUERIES = pytest.mark.parametrize("name", query_names())
NAME = re.compile(r"[a-z_]+/[a-z_]+")
CYPHER_IN_PYTHON = re.compile(
    r"\s*(?:MATCH|OPTIONAL MATCH|MERGE|CREATE|UNWIND|CALL|DETACH DELETE)\s+(?!\(\?)[({\w$]"
)
FOLDERS_LOADED_WHOLE = ("invariants",)
DRIVER_ROOMS = ("service/graph", "service/embedded", "service/main.py")
ENUMERATION_VALUES = {
    member.value
    for kind in vars(vocabulary).values()
    if isinstance(kind, type) and issubclass(kind, StrEnum)
    for member in kind
}

GOOD = """// Say what it answers.
// scope: tenant · access: read · index: message_place
// params: tenant_id: str, limit: int
// returns: uid: str, seq: int (many)
MATCH (m:Message)
WHERE m.branch_ref = 1 AND m.tenant_id = $tenant_id
RETURN m.uid AS uid, m.seq AS seq
LIMIT $limit
"""


@ALL_QUERIES
def test_a_query_file_keeps_its_header(name: str) -> None:
    assert NAME.fullmatch(name), "a query is <noun>/<verb>_<what>"
    query(name)


@pytest.mark.parametrize(
    ("replaced", "by", "complaint"),
    [
        ("// Say what it answers.\n", "", "what the query answers"),
        ("// params: tenant_id: str, limit: int\n", "", "lacks params"),
        (", limit: int", "", "parameters differ: limit"),
        ("LIMIT $limit", "LIMIT 5", "parameters differ: limit"),
        ("m.tenant_id = $tenant_id", "$tenant_id <> ''", "must bind tenant_id"),
        ("// params: tenant_id: str", "// params: tenant_id: text", "not one"),
        ("access: read", "access: write", "only reads"),
        ("access: read", "access: peek", "access must be one of"),
        ("scope: tenant", "scope: tenant · scope: system", "scope twice"),
        (
            "RETURN m.uid AS uid, m.seq AS seq",
            "SET m.seq = 1 RETURN m.uid AS uid, m.seq AS seq",
            "text writes",
        ),
        ("RETURN m.uid AS uid, m.seq AS seq", "RETURN m.seq AS seq, m.uid AS uid", "not those returned"),
        ("RETURN m.uid AS uid, m.seq AS seq", "RETURN m.uid, m.seq AS seq", "not those returned"),
        ("(many)", "(some)", "must end with"),
        ("uid: str, seq: int (many)", "uid: str, seq: int (none)", "names no columns"),
        ("index: message_place", "index: none", "say `none (why)`"),
        ("LIMIT $limit", "LIMIT $limit;", "without a semicolon"),
        ("LIMIT $limit", "UNION MATCH (u:User) RETURN u.uid AS uid, $limit AS seq", "inside CALL braces"),
    ],
)
def test_a_header_that_disagrees_with_its_text_is_refused(replaced: str, by: str, complaint: str) -> None:
    assert GOOD.count(replaced) == 1
    with pytest.raises(HeaderError, match=re.escape(complaint)):
        Query("message/list_some", GOOD.replace(replaced, by))
    assert Query("message/list_some", GOOD).header.indexes == ("message_place",)


@ALL_QUERIES
def test_a_query_names_only_what_the_model_names(name: str) -> None:
    if name == "migration/create_lock_constraint":
        return  # a schema command, which the declared schema checks
    assert not faults(query(name).text)


def test_the_vocabulary_check_sees_a_wrong_label_type_and_property() -> None:
    text = GOOD.replace("MATCH (m:Message)", "MATCH (m:Message {nam: 1})-[x:SAID|USED {at: 2}]->(:Speech)")
    text = text.replace("m.seq AS seq", "m.sequence AS seq")
    assert faults(text) == [
        "Message.nam is not in the vocabulary",
        "SAID is not in the vocabulary",
        "USED.at is not in the vocabulary",
        "Speech is not in the vocabulary",
        "Message.sequence is not in the vocabulary",
    ]


@ALL_QUERIES
def test_a_query_spells_out_only_values_of_the_vocabulary(name: str) -> None:
    odd = [one for one in literals(query(name).text) if one not in ENUMERATION_VALUES]
    assert odd in ([], ["LOOKUP"]), "pass it as a parameter"


@ALL_QUERIES
def test_a_query_names_indexes_that_are_declared(name: str) -> None:
    assert set(query(name).header.indexes) <= {item.name for item in declared_schema()}


def test_each_query_is_loaded_by_exactly_one_gateway() -> None:
    loaded = Counter(
        str(node.args[0].value)
        for tree in modules("service/graph").values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "query"
        if node.args and isinstance(node.args[0], ast.Constant)
    )
    single = {name for name in query_names() if name.partition("/")[0] not in FOLDERS_LOADED_WHOLE}
    assert sorted(single - loaded.keys()) == [], "dead query files"
    assert sorted(loaded.keys() - single) == [], "queries without a file"
    assert [name for name, times in loaded.items() if times > 1] == []


def test_queries_lie_only_in_files() -> None:
    """The runner of migrations executes files too; it has no statement of its own."""
    found = [
        f"{path}: {text[:40]!r}"
        for path, tree in modules("service", "jobs").items()
        for text in string_constants(tree)
        if CYPHER_IN_PYTHON.match(text)
    ]
    assert found == []


def test_only_the_graph_room_uses_the_driver() -> None:
    users = {
        str(path)
        for path, tree in modules("service", "jobs").items()
        if any(name.partition(".")[0] == "neo4j" for name in imported_modules(tree))
    }
    outside = {path for path in users if not path.startswith(DRIVER_ROOMS)}
    assert outside == set()


def test_every_constraint_is_told_apart_by_label_and_first_property() -> None:
    """A refusal of Neo4j is read no further than that, since values follow."""
    firsts = Counter((item.label, item.properties[0]) for item in declared_schema() if item.kind == "unique")
    assert [key for key, times in firsts.items() if times > 1] == []


def test_the_schema_names_only_what_the_model_names() -> None:
    nodes = {label.value: node.properties for label, node in NODES.items()}
    odd = [item for item in declared_schema() if not set(item.properties) <= set(nodes.get(item.label, ()))]
    assert odd == []


def test_the_query_folder_is_the_one_of_this_tree() -> None:
    assert CYPHER_FOLDER == ROOT / "cypher"
