"""The house is tidy: small files, no loose ends, one word for one thing, nothing of the machine."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest
from sources import ROOT, called_names, imported_modules, modules, tracked_files

from service.cli.documents import DOCUMENTS

LINES_MAX = 400
FILE_BYTES_MAX = 1024 * 1024
CODE_SUFFIXES = {".py", ".cypher", ".md", ".toml", ".yml", ".yaml", ".sh", ".html", ".css", ".js"}
RECORDED = ("samples", "docs/examples", "tests/importers/fixtures")
"""What others have said and we keep as it came."""

LOOSE_ENDS = re.compile(r"\b(?:" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]) + r")\b")
MACHINE = re.compile(
    r"(?<![\w.$}])/(?:wo" + r"rk|ro" + r"ot|home/\w+|tm" + r"p)/"
    r"|\bpyp" + r"i\.org\b|pythonho" + r"sted|registry\.npm" + r"js|repo1?\.maven\.(?:apache\.)?org"
)
OTHER_WORDS = {
    "thread_id": "conversation_id",
    "chat_id": "conversation_id",
    "session_id": "conversation_id",
    "customer_id": "tenant_id",
    "agent_id": "participant_id",
    "cut_off": "cutoff",
    "sequence_number": "seq",
    "max_tokens": "…_tokens_max or budget_tokens",
    "timeout_seconds": "timeout_s",
    "size_in_bytes": "size_bytes",
}
FOREIGN_FORMATS = ("service/importers/", "service/text/render", "service/api/shapes/", "tests/", "bench/")
"""Where names of other people's formats stand."""


def tidy_files() -> list[Path]:
    """Text files that we write ourselves."""
    return [
        path
        for path in tracked_files()
        if path.suffix in CODE_SUFFIXES and not str(path.relative_to(ROOT)).startswith(RECORDED)
    ]


def test_no_file_is_longer_than_a_person_reads() -> None:
    written = (path for path in tidy_files() if path not in DOCUMENTS)
    long = {str(path.relative_to(ROOT)): count for path in written if (count := lines(path)) > LINES_MAX}
    assert long == {}


def test_no_two_modules_of_the_tests_share_a_name() -> None:
    """They are imported by their bare names: the second would be the first."""
    named = Counter(path.name for path in modules("tests") if path.name != "conftest.py")
    assert [name for name, times in named.items() if times > 1] == []


def test_no_loose_end_is_left() -> None:
    assert hits(LOOSE_ENDS) == []


def test_nothing_names_the_machine_or_a_registry() -> None:
    assert hits(MACHINE) == []


@pytest.mark.parametrize("text", ["see /wo" + "rk/main", "cd /tm" + "p/x", "https://pyp" + "i.org/simple"])
def test_a_path_of_the_machine_is_seen(text: str) -> None:
    assert MACHINE.search(text)


def test_every_module_says_what_it_is() -> None:
    silent = [
        str(path)
        for path, tree in modules("service", "jobs", "bench", "tests").items()
        if ast.get_docstring(tree) is None
    ]
    assert silent == []


def test_no_large_file_is_tracked() -> None:
    large = [str(path.relative_to(ROOT)) for path in tracked_files() if path.stat().st_size > FILE_BYTES_MAX]
    assert large == []


def test_one_word_for_one_thing() -> None:
    found = [
        f"{path}: {name}, say {OTHER_WORDS[name]}"
        for path, tree in modules("service", "jobs").items()
        if not str(path).startswith(FOREIGN_FORMATS)
        for node in ast.walk(tree)
        for name in names_of(node)
        if name in OTHER_WORDS
    ]
    assert found == []


def test_tests_use_no_mocks_and_sleep_only_between_looks() -> None:
    """A sleep may stand in a loop that looks again; elsewhere it hopes that something has happened."""
    found: list[str] = []
    for path, tree in modules("tests").items():
        mocks = {name for name in imported_modules(tree) if "mock" in name}
        looking = [call for node in ast.walk(tree) if isinstance(node, ast.While) for call in sleeps(node)]
        hoping = len(sleeps(tree)) - len(looking)
        found += [f"{path}: {name}" for name in sorted(mocks)] + [f"{path}: sleep"] * hoping
    assert found == []


def sleeps(tree: ast.AST) -> list[str]:
    """Calls that only let time pass."""
    return [call for call in called_names(tree) if call.rpartition(".")[2] == "sleep"]


def names_of(node: ast.AST) -> list[str]:
    """Identifiers that a node introduces or uses."""
    match node:
        case ast.Name(id=name) | ast.arg(arg=name) | ast.Attribute(attr=name):
            return [name]
        case ast.keyword(arg=str(name)):
            return [name]
        case _:
            return []


def hits(pattern: re.Pattern[str]) -> list[str]:
    """`file:line` of every match in a tidy file."""
    return [
        f"{path.relative_to(ROOT)}:{number}"
        for path in tidy_files()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if pattern.search(line)
    ]


def lines(path: Path) -> int:
    """Lines of a text file."""
    return path.read_text("utf-8").count("\n")
