"""Generated documents are current, and what the written ones promise exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sources import ROOT

from service.cli.documents import DOCUMENTS
from service.model.fates import FATES
from service.model.nodes import NODES
from service.model.properties import PROPERTIES
from service.model.relationships import EDGES
from service.model.verdict import REASONS, Reason
from service.model.vocabulary import Label, Relationship
from service.policies import ORDER

DECISIONS = sorted((ROOT / "docs/adr").glob("*.md"))
ENFORCED_BY = re.compile(r"^Enforced by: (.+)$", re.MULTILINE)
NAMED_TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")
SENTENCE = re.compile(r"[A-Z][^.]*\.")
TERM = re.compile(r"^\*\*(.+?)\*\*: .+$")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_a_generated_document_is_current(path: Path) -> None:
    """`runtime-graph schema docs` writes them."""
    assert path.read_text("utf-8") == DOCUMENTS[path]()


def test_every_label_type_and_reason_has_its_entry() -> None:
    assert set(NODES) == set(Label)
    assert set(EDGES) == set(Relationship)
    assert set(REASONS) == set(Reason)
    assert {said.policy for said in REASONS.values()} <= set(ORDER)


def test_every_label_has_a_fate_under_erasure() -> None:
    assert set(FATES) == set(Label)


def test_every_property_is_used_and_every_used_one_is_defined() -> None:
    used = {name for node in NODES.values() for name in node.properties}
    used |= {name for edge in EDGES.values() for name in edge.properties}
    assert used == set(PROPERTIES)


def test_no_label_lists_a_property_twice() -> None:
    twice = [label for label, node in NODES.items() if len(set(node.properties)) < len(node.properties)]
    assert twice == []


def test_every_reason_is_said_in_one_sentence() -> None:
    assert [reason for reason, said in REASONS.items() if not SENTENCE.fullmatch(said.sentence)] == []


@pytest.mark.parametrize("path", DECISIONS, ids=lambda path: path.stem)
def test_a_decision_names_the_check_that_enforces_it(path: Path) -> None:
    enforced = ENFORCED_BY.search(path.read_text("utf-8"))
    assert enforced is not None, "an ADR has a line `Enforced by: `"
    named = NAMED_TEST.findall(enforced[1])
    assert named, "it names at least one test file"
    for file, test in named:
        assert (ROOT / file).exists(), file
        assert not test or f"def {test}(" in (ROOT / file).read_text("utf-8"), test


def test_decisions_are_numbered_without_a_gap() -> None:
    numbers = [int(path.name[:4]) for path in DECISIONS]
    assert numbers == list(range(1, len(DECISIONS) + 1))


def test_the_glossary_says_each_word_once_in_order() -> None:
    lines = (ROOT / "docs/glossary.md").read_text("utf-8").splitlines()
    terms = [found[1].lower() for line in lines if (found := TERM.fullmatch(line))]
    assert terms == sorted(set(terms))


def test_the_glossary_explains_every_label() -> None:
    text = (ROOT / "docs/glossary.md").read_text("utf-8").lower()
    spelled = {re.sub(r"(?<!^)([A-Z])", r" \1", label.value).lower() for label in Label}
    spelled = {"API key".lower() if word == "api key" else word for word in spelled}
    assert sorted(word for word in spelled if f"**{word}**" not in text) == []


def test_every_room_says_what_belongs_there() -> None:
    rooms = {f"service/{path.parent.name}/" for path in (ROOT / "service").glob("*/__init__.py")}
    text = _text("docs/house.md")
    assert sorted(room for room in rooms if f"`{room}`" not in text) == []


@pytest.mark.parametrize("file", ["CONTRIBUTING.md", "docs/glossary.md", "docs/house.md"])
def test_a_path_that_a_guide_names_exists(file: str) -> None:
    named = set(re.findall(r"`((?:service|cypher|schema|tests|docs|jobs|bench)/[\w./-]*)`", _text(file)))
    assert named
    assert sorted(path for path in named if not (ROOT / path).exists()) == []


def _text(file: str) -> str:
    return (ROOT / file).read_text("utf-8")
