"""Which memories a newer one about the same thing replaces.

A memory replaces an older one when all of this holds: same record key, same scope (owner, visibility,
sharing), the newer call was executed, and it reads the same record again. The same tool reads it again when
its answers have a field in common (an error text has none in common with a record); another tool, when its
result has every field that the older one has. So an update that answers with the whole record replaces what
was read before, and an answer of a few fields does not hide the whole. Judge among the memories that the
asker may see: a fork, or somebody's private call, then hides nothing from anybody else.
"""

from __future__ import annotations

from collections.abc import Sequence

from service.model.candidates import MemoryCandidate
from service.model.vocabulary import CallStatus


def replaces(newer: MemoryCandidate, older: MemoryCandidate) -> bool:
    """True when `newer`, which comes later in the lineage, stands for `older`."""
    if newer.status is not CallStatus.EXECUTED or newer.record_key is None or _scope(newer) != _scope(older):
        return False
    fields, known = set(newer.record_fields), set(older.record_fields)
    if newer.tool_name == older.tool_name:
        return bool(fields & known) or fields == known
    return bool(known) and fields >= known


def superseded(memories: Sequence[MemoryCandidate]) -> dict[str, str]:
    """The uid of each replaced memory, with the uid of the newest one that replaces it (directly or by
    chain).

    `memories` may come in any order; places order them.
    """
    replaced: dict[str, str] = {}
    seen: dict[tuple[object, ...], list[tuple[MemoryCandidate, str]]] = {}
    for memory in sorted(memories, key=lambda candidate: candidate.place, reverse=True):
        if memory.record_key is None:
            continue
        newer = seen.setdefault(_scope(memory), [])
        head = next((head for later, head in newer if replaces(later, memory)), None)
        if head is not None:
            replaced[memory.uid] = head
        like = (memory.tool_name, memory.record_fields, memory.status)
        if all((later.tool_name, later.record_fields, later.status) != like for later, _ in newer):
            newer.append((memory, head or memory.uid))
    return replaced


def _scope(memory: MemoryCandidate) -> tuple[object, ...]:
    owned = memory.governance
    return (memory.record_key, owned.participant_uid, owned.visibility, owned.shared_with)
