"""What the house guards read: Python modules as trees, queries by name, files as git sees them."""

from __future__ import annotations

import ast
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("service", "jobs", "bench", "tests")


@cache
def modules(*folders: str) -> dict[Path, ast.Module]:
    """Every module under the folders, parsed; paths are relative to the root."""
    return {
        path.relative_to(ROOT): ast.parse(path.read_text("utf-8"))
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*.py"))
    }


@cache
def query_names() -> tuple[str, ...]:
    """Every query as `<noun>/<verb>_<what>`."""
    folder = ROOT / "cypher"
    return tuple(sorted(str(path.relative_to(folder).with_suffix("")) for path in folder.rglob("*.cypher")))


@cache
def tracked_files() -> tuple[Path, ...]:
    """Every file that git tracks or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    return tuple(path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file())


def string_constants(tree: ast.AST) -> list[str]:
    """Every string of a module, docstrings included; an f-string gives its fixed pieces."""
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def called_names(tree: ast.AST) -> list[str]:
    """Dotted names of everything that is called, such as `datetime.now`."""
    return [ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]


def imported_modules(tree: ast.AST) -> set[str]:
    """Every module that is imported, dotted."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found
