"""Ids that the service makes: what is hashed, linked or stored in records is one of these."""

from __future__ import annotations

import secrets
import threading
import time
import uuid

import uuid_utils

_REF_EPOCH_MS = 1_704_067_200_000  # 2024-01-01 UTC; 41 bits of milliseconds last until 2093
_REF_RANDOM_BITS = 12
BRANCH_REF_MAX = 2**53 - 1
"""Every JSON reader holds integers up to here exactly."""

_ref_lock = threading.Lock()
_ref_last = 0


def new_uid() -> str:
    """A UUIDv7 as text: time-ordered, 36 characters."""
    return str(uuid_utils.uuid7())


def derived_uid(of_uid: str, name: str) -> str:
    """The uid of what there is once for a uid and a name: a UUIDv5 as text, always the same."""
    return str(uuid.uuid5(uuid.UUID(of_uid), name))


def new_branch_ref() -> int:
    """A positive, roughly time-ordered integer below 2**53: milliseconds, then 12 random bits.

    One process never repeats itself. Two processes may meet once in a great while; the UNIQUE constraint
    `branch_ref` refuses the second, and its writer draws again.
    """
    global _ref_last
    now_ms = time.time_ns() // 1_000_000 - _REF_EPOCH_MS
    drawn = (now_ms << _REF_RANDOM_BITS) | secrets.randbits(_REF_RANDOM_BITS)
    with _ref_lock:
        _ref_last = max(drawn, _ref_last + 1)
        return _ref_last
