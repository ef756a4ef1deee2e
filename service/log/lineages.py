"""Branches as they are stored: whether they can be read, and store the lineage that their edge says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.model.lineage import Lineage

_PARENT = {"branch_uid": str, "branch_ref": int, "lineage": list, "cutoffs": list, "head": int, "cutoff": int}
_BRANCH = {
    "tenant_id": str,
    "branch_uid": str,
    "branch_ref": int,
    "lineage": list,
    "cutoffs": list,
    "base": int,
    "head": int,
    "head_hash": str,
    "parents": list,
}


def is_branch(row: Mapping[str, Any]) -> bool:
    """Whether a row has all that verification needs, of the right types."""
    parents = row.get("parents")
    return _has(row, _BRANCH) and all(isinstance(one, dict) and _has(one, _PARENT) for one in parents or ())


def agrees(branch: Mapping[str, Any]) -> bool:
    """Whether a branch stores the stretches of its parent up to the cutoff.

    `branch` has `lineage`, `cutoffs`, `base`, and `parents`: for each INHERITS edge its `cutoff` with the
    parent's `branch_ref`, `lineage`, `cutoffs` and `head`.
    """
    stored = (branch["lineage"], branch["cutoffs"], branch["base"])
    if not branch["parents"]:
        return stored == ([], [], 0)
    parent, *others = branch["parents"]
    cutoff = parent["cutoff"]
    if others or not 1 <= cutoff <= parent["head"]:
        return False
    whole = Lineage.of_row(parent)
    inherited = whole.up_to(cutoff).stretches
    return stored == ([s.branch_ref for s in inherited], [s.ceiling for s in inherited], cutoff)


def _has(row: Mapping[str, Any], shape: dict[str, type]) -> bool:
    return all(isinstance(row.get(name), kind) for name, kind in shape.items())
