"""A tenant's log as a file: JSON lines that anybody with the public key can check, without the service.

The lines are in this order: one `header`, every `branch`, every `tree_head`, every `erasure` (the tenant's
entries of the ledger), then every `event`, by branch and seq. Everything but a payload is ids, hashes,
numbers and times.
"""

from __future__ import annotations

import gc
import mmap
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import orjson

from service.log.erasures import Erasures
from service.log.ledger import LedgerEntry
from service.log.stretches import Plan, Row, Stretch, check_stretch, in_stretches
from service.log.tree_heads import PublicKeys, TreeHead
from service.log.verification import ROWS_PER_STRETCH, Log, Verdict

FORMAT = 1
BLOCK_BYTES = 256 * 1024
SEVERAL_PROCESSES_BYTES = 64 * 1024 * 1024
"""Below this a second process would cost more than it saves."""
PROCESSES_MAX = 8
Checked = list[tuple[Any, Stretch]]
Span = tuple[int, int]
Data = bytes | bytearray | mmap.mmap
Result = TypeVar("Result")


class NotAnExportError(ValueError):
    """The file is not an export; the message says which line, and not what is in it."""


def line(kind: str, row: Mapping[str, Any]) -> bytes:
    """One line of an export."""
    return orjson.dumps({"type": kind, **row}, option=orjson.OPT_APPEND_NEWLINE)


def header(tenant_id: str, *, payloads: bool, public_keys: str) -> bytes:
    """The first line. The public keys are for convenience: who checks takes them from elsewhere."""
    row = {"format": FORMAT, "tenant_id": tenant_id, "payloads": payloads, "public_keys": public_keys}
    return line("header", row)


@dataclass(frozen=True, slots=True)
class Preamble:
    """What stands before the events; these begin at the byte `events_at`."""

    tenant_id: str
    payloads: bool
    branches: list[Row]
    tree_heads: list[Row]
    erasures: list[Row]
    events_at: int


def read_preamble(data: Data) -> Preamble:
    """Read what stands before the events. Raises NotAnExportError."""
    rows: dict[str, list[Row]] = {"header": [], "branch": [], "tree_head": [], "erasure": []}
    at = number = 0
    while at < len(data):
        number += 1
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        row = _parsed(data[at:end])
        kind = row.get("type")
        if kind == "event":
            break
        if kind not in rows or (number == 1) != (kind == "header"):
            raise NotAnExportError(f"line {number} is not one of an export")
        rows[kind].append(row)
        at = end + 1
    if not rows["header"] or rows["header"][0].get("format") != FORMAT:
        raise NotAnExportError(f"line 1 is not the header of an export of format {FORMAT}")
    tenant_id, payloads = rows["header"][0].get("tenant_id"), rows["header"][0].get("payloads")
    if any(row.get("tenant_id") != tenant_id for row in rows["branch"]):
        raise NotAnExportError("a branch is not of the tenant that the header names")
    return Preamble(
        tenant_id=str(tenant_id),
        payloads=payloads is not False,
        branches=rows["branch"],
        tree_heads=rows["tree_head"],
        erasures=rows["erasure"],
        events_at=at,
    )


def verify_export(
    path: Path, outside: Iterable[TreeHead], keys: PublicKeys, processes: int | None = None
) -> tuple[Verdict, Preamble]:
    """Check an export against tree heads that were kept elsewhere. Raises NotAnExportError or OSError.

    Large files are read by several processes, unless `processes` says otherwise.
    """
    with path.open("rb") as file:
        if path.stat().st_size == 0:
            raise NotAnExportError("the file is empty")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return verify_lines(data, outside, keys, processes)


def verify_lines(
    data: Data, outside: Iterable[TreeHead], keys: PublicKeys, processes: int | None = None
) -> tuple[Verdict, Preamble]:
    """Check the lines of an export, as `verify_export` does. Heads of other tenants are left aside."""
    preamble = read_preamble(data)
    own = [head for head in outside if head.tenant_id == preamble.tenant_id]
    erasures = Erasures.of(_signed_entries(preamble.erasures, keys))
    log = Log(preamble.branches, preamble.tree_heads, own, keys, erasures)
    work = _Work(data, log.plans, erasures, preamble.payloads)
    spans = list(_spans(data, preamble.events_at))
    processes = _processes(len(data)) if processes is None else processes
    for checked in _each(work.check, spans, processes):
        for branch_ref, stretch in checked:
            log.add(branch_ref, stretch)
    return log.verdict(), preamble


def _signed_entries(rows: Iterable[Row], keys: PublicKeys) -> list[LedgerEntry]:
    """The tenant's entries of the ledger; the chain between them is in the whole ledger alone."""
    try:
        entries = [LedgerEntry.of(row) for row in rows]
    except (KeyError, TypeError, ValueError):
        raise NotAnExportError("an erasure is not an entry of a ledger") from None
    if not all(entry.is_signed_by(keys) for entry in entries):
        raise NotAnExportError("an erasure is not signed by a trusted key")
    return entries


def count_lines(data: Data, processes: int | None = None) -> int:
    """Only read the events of an export, as `verify_lines` does, and answer how many there are."""
    spans = list(_spans(data, read_preamble(data).events_at))
    processes = _processes(len(data)) if processes is None else processes
    return sum(_each(lambda span: sum(1 for _ in _events(data[slice(*span)])), spans, processes))


@dataclass(frozen=True, slots=True)
class _Work:
    """What every process knows."""

    data: Data
    plans: dict[int, Plan]
    erasures: Erasures
    payloads: bool

    def check(self, span: Span) -> Checked:
        """Check the events on the lines of a span of bytes."""
        checked: Checked = []
        for rows in in_stretches(_events(self.data[slice(*span)]), ROWS_PER_STRETCH):
            branch_ref = rows[0].get("branch_ref")
            plan = self.plans.get(branch_ref) if isinstance(branch_ref, int) else None
            plan = plan or Plan("", "", 0, ())
            checked.append((branch_ref, check_stretch(plan, rows, self.erasures, payloads=self.payloads)))
        return checked


_inherited: list[Callable[[Span], Any]] = []


def _run_inherited(span: Span) -> Any:
    return _inherited[0](span)


def _each(task: Callable[[Span], Result], spans: Iterable[Span], processes: int) -> Iterator[Result]:
    """A task's answer for each span, in order. Processes inherit the task with its data: nothing is sent."""
    if processes < 2:
        yield from map(task, spans)
        return
    _inherited[:] = [task]
    gc.freeze()  # a collection in a process would touch, and so copy, everything that it inherits
    try:
        with multiprocessing.get_context("fork").Pool(processes, initializer=gc.disable) as pool:
            yield from pool.imap(_run_inherited, spans)
    finally:
        _inherited.clear()
        gc.unfreeze()


def _processes(size_bytes: int) -> int:
    """How many processes are worth it. Where threads run, or where there is no fork, it is one."""
    forks = "fork" in multiprocessing.get_all_start_methods() and threading.active_count() == 1
    return min(os.cpu_count() or 1, PROCESSES_MAX) if forks and size_bytes >= SEVERAL_PROCESSES_BYTES else 1


def _spans(data: Data, start: int) -> Iterator[Span]:
    """Spans of about BLOCK_BYTES that end with a line."""
    while start < len(data):
        end = data.find(b"\n", min(start + BLOCK_BYTES, len(data)))
        end = len(data) if end < 0 else end + 1
        yield start, end
        start = end


def _events(block: bytes | bytearray) -> Iterator[Row]:
    """The events of a block; what cannot be read stands as a row without fields, on the branch before it."""
    branch_ref = None
    for text in block.splitlines():
        row = _parsed(text)
        if row.get("type") != "event":
            row = {"branch_ref": branch_ref}
        branch_ref = row.get("branch_ref")
        yield row


def _parsed(text: bytes | bytearray) -> dict[str, Any]:
    try:
        row = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return row if isinstance(row, dict) else {}
