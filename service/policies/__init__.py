"""The policies, and the one statement of their order.

Gates keep or omit one item; supersession judges memories among each other; ranking weighs what is left;
packing fills the budget. Pure functions: no clock, no driver, no randomness.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

ORDER = (
    "visibility",
    "attribution",
    "privacy",
    "promotion",
    "insights",
    "freshness",
    "validity",
    "recheck",
    "supersession",
    "conflict",
    "recovery",
    "rehydration",
    "knowledge",
    "ranking",
    "packing",
)
"""Visibility first: what is private to others is counted under no other reason. A candidate outside the
lineage is never read."""


@cache
def code_version() -> str:
    """SHA-256 over the source of every policy, shortened: another rule is another version."""
    digest = hashlib.sha256()
    for module in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(module.name.encode() + b"\0" + module.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def policy_version(settings_version: str) -> str:
    """What an assembly names: order, settings and code in one hash."""
    text = "\n".join((*ORDER, settings_version, code_version()))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
