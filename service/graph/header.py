"""The contract at the top of a query file, and the check that the text below it keeps it.

A header is the leading comment lines: what the query answers, then its fields. A line that opens no field
continues the one before it.

    // List a branch lineage's messages, newest first. Narrows only; policies/visibility.py decides.
    // scope: tenant · access: read · index: message_place
    // params: tenant_id: str, lineage: list[int], limit: int
    // returns: uid: str, seq: int, run_uid: str | None (many)
    // eager: why the plan may hold an Eager operator (only where it does)

`scope` is `tenant` (the text compares or sets tenant_id with $tenant_id) or `system`. `index` lists the
indexes that the plan must use, or says `none` and why in brackets. A query without rows `returns: (none)`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

Scope = Literal["tenant", "system"]
Access = Literal["read", "write"]
Rows = Literal["one", "many", "none"]

_FIELD = re.compile(r"(scope|access|index|params|returns|eager): *(.*)", re.DOTALL)
_FIELDS_NEEDED = ("scope", "access", "index", "params", "returns")
_TYPE = re.compile(r"(?:list\[)*(?:str|int|float|bool|datetime|bytes|map)(?: \| None)?\]*(?: \| None)?")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_RETURNS = re.compile(r"(.*?) *\((one|many|none)\)", re.DOTALL)
_INDEX_NONE = re.compile(r"none \(.+\)")
_NOT_CODE = re.compile(
    r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|//[^\n]*|/\*.*?\*/",
    re.DOTALL,
)
_WRITES = re.compile(r"\b(?:CREATE|MERGE|SET|DELETE|REMOVE|FOREACH)\b", re.IGNORECASE)
_TENANT_BOUND = re.compile(r"\btenant_id\s*[:=]\s*\$tenant_id\b")
_RETURN = re.compile(r"\bRETURN\b(?:\s+DISTINCT\b)?", re.IGNORECASE)
_AFTER_RETURN = re.compile(r"\b(?:ORDER\s+BY|SKIP|OFFSET|LIMIT)\b", re.IGNORECASE)


class HeaderError(ValueError):
    """A query file whose header is missing, unclear, or at odds with its text."""


@dataclass(frozen=True, slots=True)
class Header:
    """A query's contract. `params` and `returns` map names to declared types, in the order of the file."""

    answers: str
    scope: Scope
    access: Access
    indexes: tuple[str, ...]
    params: dict[str, str]
    returns: dict[str, str]
    rows: Rows
    eager: str | None


def parse_header(text: str) -> Header:
    """Read the leading comment lines of a query file; raise HeaderError where they are not a contract."""
    answers, fields = _fields_of(_comment_lines(text))
    if not answers:
        raise HeaderError("the first line must say what the query answers")
    missing = [name for name in _FIELDS_NEEDED if name not in fields]
    if missing:
        raise HeaderError(f"the header lacks {', '.join(missing)}")
    returns = _RETURNS.fullmatch(fields["returns"])
    if returns is None:
        raise HeaderError("returns must end with (one), (many) or (none)")
    header = Header(
        answers=answers,
        scope=cast(Scope, _one_of("scope", fields["scope"], ("tenant", "system"))),
        access=cast(Access, _one_of("access", fields["access"], ("read", "write"))),
        indexes=_indexes(fields["index"]),
        params=_typed_names("params", "" if fields["params"] == "none" else fields["params"]),
        returns=_typed_names("returns", returns[1]),
        rows=cast(Rows, returns[2]),
        eager=fields.get("eager"),
    )
    if (header.rows == "none") != (not header.returns):
        raise HeaderError("a query returns (none) exactly when it names no columns")
    return header


def check_text(header: Header, text: str) -> None:
    """Hold the text of a query against its header; raise HeaderError where they disagree."""
    code = code_only(text)
    used = set(re.findall(r"\$(\w+)", code))
    if used != header.params.keys():
        odd = ", ".join(sorted(used ^ header.params.keys()))
        raise HeaderError(f"declared and used parameters differ: {odd}")
    if header.scope == "tenant" and not _TENANT_BOUND.search(code):
        raise HeaderError("a query of scope tenant must bind tenant_id to $tenant_id")
    if header.access == "read" and _WRITES.search(code):
        raise HeaderError("access is read, and the text writes")
    if header.access == "write" and not _WRITES.search(code):
        raise HeaderError("access is write, and the text only reads")
    if ";" in code:
        raise HeaderError("a query is one statement without a semicolon")
    if header.rows == "many" and re.search(r"\bUNION\b", _outside_braces(code), re.IGNORECASE):
        raise HeaderError("a UNION of many rows must stand inside CALL braces")
    columns = returned_columns(code)
    if columns != list(header.returns):
        raise HeaderError(f"declared columns {list(header.returns)} are not those returned: {columns}")


def code_only(text: str) -> str:
    """The query with comments and string literals blanked out; every other character keeps its place."""
    return _NOT_CODE.sub(lambda found: " " * len(found[0]), text)


def body(text: str) -> str:
    """The query without the comment lines of its header."""
    lines = text.splitlines()
    return "\n".join(lines[len(_comment_lines(text)) :]).strip()


def in_one_record(text: str, columns: Sequence[str]) -> str:
    """The query answering one record `rows`: a list with a list of the columns for each row, in order.

    A SHOW command knows no WITH and stays as it is.
    """
    if code_only(text).lstrip().startswith("SHOW"):
        return text
    at = list(_RETURN.finditer(_outside_braces(code_only(text))))[-1].start()
    return f"{text[:at]}WITH{text[at + len('RETURN') :]}\nRETURN collect([{', '.join(columns)}]) AS rows"


def returned_columns(code: str) -> list[str]:
    """Column names of the last RETURN outside braces, in order; empty where there is none."""
    flat = _outside_braces(code)
    returns = list(_RETURN.finditer(flat))
    if not returns:
        return []
    clause = code[returns[-1].end() :]
    end = _AFTER_RETURN.search(_outside_braces(clause))
    return [_column(item) for item in split_top(clause[: end.start()] if end else clause)]


def split_top(text: str) -> list[str]:
    """Split at commas that stand outside every bracket."""
    items: list[str] = []
    depth, start = 0, 0
    for at, char in enumerate(text):
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and depth == 0:
            items.append(text[start:at].strip())
            start = at + 1
    items.append(text[start:].strip())
    return [item for item in items if item]


def _outside_braces(code: str) -> str:
    """The same length of text, with everything inside braces blanked out."""
    depth = 0
    kept: list[str] = []
    for char in code:
        depth -= char == "}"
        kept.append(char if depth == 0 else " ")
        depth += char == "{"
    return "".join(kept)


def _column(item: str) -> str:
    item = item.rstrip("; \n")
    aliased = re.search(r"\bAS\s+(\w+)$", item, re.IGNORECASE)
    return aliased[1] if aliased else item


def _comment_lines(text: str) -> list[str]:
    lines: list[str] = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:].strip())
    return lines


def _fields_of(lines: list[str]) -> tuple[str, dict[str, str]]:
    answers: list[str] = []
    fields: dict[str, str] = {}
    current: str | None = None
    for line in lines:
        for piece in line.split(" · "):
            opened = _FIELD.fullmatch(piece)
            if opened:
                current = opened[1]
                if current in fields:
                    raise HeaderError(f"the header gives {current} twice")
                fields[current] = opened[2].strip()
            elif current is None:
                answers.append(piece)
            else:
                fields[current] = f"{fields[current]} {piece}".strip()
    return " ".join(answers).strip(), fields


def _one_of(field: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise HeaderError(f"{field} must be one of {', '.join(allowed)}")
    return value


def _indexes(value: str) -> tuple[str, ...]:
    if _INDEX_NONE.fullmatch(value):
        return ()
    names = tuple(name.strip() for name in value.split(","))
    if not all(_NAME.fullmatch(name) for name in names) or "none" in names:
        raise HeaderError("index must list index names, or say `none (why)`")
    return names


def _typed_names(field: str, value: str) -> dict[str, str]:
    typed: dict[str, str] = {}
    for item in split_top(value):
        name, _, kind = item.partition(":")
        name, kind = name.strip(), kind.strip()
        if not _NAME.fullmatch(name) or not _is_type(kind):
            raise HeaderError(f"{field} must be `name: type` items, and {item!r} is not one")
        if name in typed:
            raise HeaderError(f"{field} names {name} twice")
        typed[name] = kind
    return typed


def _is_type(kind: str) -> bool:
    return _TYPE.fullmatch(kind) is not None and kind.count("[") == kind.count("]")
