"""No query shows what names a hidden person, and no process keeps texts that it does not know to forget."""

from __future__ import annotations

import ast
import re

import pytest
from sources import modules, query_names

from service.graph.header import body, code_only
from service.graph.query import query
from service.model.nodes import NODES
from service.model.vocabulary import Label
from service.usecases.recall.forgetting import TEXT_CACHES

OF_THE_OFFICE = {Label.PRIVACY_REQUEST, Label.LEGAL_HOLD}
"""What is kept about requests themselves: pseudonyms, for those who carry them out."""
NAMES_PEOPLE = {
    label.value
    for label, node in NODES.items()
    if "subject_uids" in node.properties and label not in OF_THE_OFFICE
}
OF_THE_HOUSE = (
    *("invariants", "privacy_request", "legal_hold", "notice", "erasure", "rectification", "retention"),
)
"""Folders of queries whose answers nobody is shown: checks, what erases, puts right, holds and exports."""
SHOWS_ALL = {
    "branch/open_for_append": "finds what a batch refers to: recording goes on",
    "knowledge_document/open_newest": "finds what a version stands for: a number and a digest",
    "compaction/find_span": "answers places in a branch",
    "compaction/find_compaction": "answers places in a branch",
    "event/count_kinds": "answers numbers",
    "event/list_entries": "the log is verified and exported whole",
    "event/list_hashes": "the log is verified and exported whole",
    "event/read_link": "the log is verified and exported whole",
    "message/list_waiting": "answers numbers",
    "model_run/count_turn": "answers numbers",
    "context_assembly/sum_costs": "answers numbers",
    "context_assembly/list_left": "answers uids that the asker has",
    "query/count_old": "answers numbers",
    "response/count_old": "answers numbers",
    "query/list_weights": "weights, for the job that lets them age",
    "response/list_weights": "weights, for the job that lets them age",
}
HAS_NO_TEXTS = {
    "_holidays": "days of a calendar",
    "_folded": "single characters",
    "tokenizer": "vocabularies",
    "_wordllama": "the model",
    "code_version": "our own code",
}
ROOMS_WITH_TEXTS = ("service/text", "service/policies", "service/language", "service/usecases")


def labels_of(name: str) -> set[str]:
    """Labels of nodes that a query names."""
    code = code_only(body(query(name).text))
    return {word for node in re.findall(r"\(\s*\w*\s*:[\w|\s:]+", code) for word in re.findall(r"\w+", node)}


def shows_people(name: str) -> bool:
    return query(name).header.access == "read" and bool(labels_of(name) & NAMES_PEOPLE)


@pytest.mark.parametrize("name", [name for name in query_names() if shows_people(name)])
def test_a_reading_query_hides_hidden_people(name: str) -> None:
    if name.partition("/")[0] in OF_THE_HOUSE or name in SHOWS_ALL:
        return
    assert "hidden_uids" in query(name).text, "leave out what names one of Tenant.hidden_uids, or say why not"


def test_what_shows_all_is_there() -> None:
    assert {name for name in SHOWS_ALL if not shows_people(name)} == set()


def test_every_cache_of_texts_is_forgotten() -> None:
    cached = {
        node.name
        for tree in modules(*ROOMS_WITH_TEXTS).values()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        if any(ast.unparse(one).partition("(")[0] in ("cache", "lru_cache") for one in node.decorator_list)
    }
    forgotten = {cache.__wrapped__.__name__ for cache in TEXT_CACHES}
    assert cached - forgotten == HAS_NO_TEXTS.keys()
