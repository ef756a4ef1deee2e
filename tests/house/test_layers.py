"""The rooms keep their order, and policies stay pure."""

from __future__ import annotations

import ast

import pytest
from importlinter.cli import lint_imports
from sources import ROOT, called_names, modules

IMPURE_CALLS = ("now", "utcnow", "today", "fromtimestamp", "open", "print", "input", "exec", "eval")
READS_ITS_OWN_CODE = "service/policies/__init__.py"
FILE_READS = ("read_text", "read_bytes", "glob", "rglob", "iterdir")


def test_every_import_contract_is_kept(capfd: pytest.CaptureFixture[str]) -> None:
    """The contracts stand in pyproject.toml."""
    code = lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True)
    assert code == 0, capfd.readouterr().out


def test_policies_ask_neither_the_clock_nor_the_world() -> None:
    found = [f"{path}: {call}" for path, tree in modules("service/policies").items() for call in impure(tree)]
    found = [one for one in found if not one.startswith(READS_ITS_OWN_CODE)]
    assert found == []


def test_policies_read_no_file_but_their_own_code() -> None:
    """Their version is a hash of it."""
    found = [
        f"{path}: {call}"
        for path, tree in modules("service/policies").items()
        for call in called_names(tree)
        if call.rpartition(".")[2] in FILE_READS and str(path) != READS_ITS_OWN_CODE
    ]
    assert found == []


@pytest.mark.parametrize(
    "code", ["datetime.now(UTC)", "date.today()", "open('x')", "datetime.fromtimestamp(0, UTC)"]
)
def test_an_impure_call_is_seen(code: str) -> None:
    assert impure(ast.parse(f"x = {code}")) == [code.partition("(")[0]]


def impure(tree: ast.Module) -> list[str]:
    """Calls that answer differently at another time or place."""
    return [call for call in called_names(tree) if call.rpartition(".")[2] in IMPURE_CALLS]
