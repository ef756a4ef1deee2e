"""One entry of the log by itself: whether it is what was recorded, and what that was."""

from __future__ import annotations

import json
from typing import Any

from service.log.erasures import NOTHING_ERASED, Destroyed
from service.log.stretches import Plan, Row, What, check_stretch
from service.model.chain import commitment


def fault_of(entry: Row, erasures: Destroyed = NOTHING_ERASED, *, payloads: bool = True) -> What | None:
    """What is wrong with an entry, as `check_stretch` takes it, apart from its place in the chain."""
    plan = Plan(entry["tenant_id"], entry["branch_uid"], entry["seq"] - 1, ())
    fault = check_stretch(plan, [entry], erasures, payloads=payloads).fault
    return None if fault is None else fault.what


def commits_to(entry: Row) -> bool:
    """Whether the envelope commits to the payload beside it."""
    try:
        salt, body = bytes.fromhex(entry["payload"]["salt"]), entry["payload"]["body"]
        return commitment(salt, body) == str(entry["payload_commitment"])
    except (KeyError, TypeError, ValueError, AttributeError):
        return False


def body_of(entry: Row) -> dict[str, Any] | None:
    """What was recorded; None where it is gone, or where something else stands in its place."""
    return json.loads(entry["payload"]["body"]) if commits_to(entry) else None
