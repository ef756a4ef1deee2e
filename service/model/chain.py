"""The log's arithmetic: canonical text, payload commitments and the hash chain of a branch.

An event is an immutable *envelope* and a separate, erasable *payload*. The envelope commits to the payload
through a salted hash, so a payload can be destroyed (text and salt) while the chain still verifies. Format
1; a later format gets a number of its own and never rewrites this one.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

FORMAT = 1
SALT_BYTES = 32
ENVELOPE_DOMAIN = b"runtime-graph/envelope/1\n"
PAYLOAD_DOMAIN = b"runtime-graph/payload/1\n"
GENESIS_DOMAIN = b"runtime-graph/genesis/1\n"


def canonical(value: Any) -> str:
    """JSON with sorted keys, no spaces and plain Unicode: one text per value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def commitment(salt: bytes, body: str) -> str:
    """SHA-256 over domain, salt and the payload's canonical text, in hex."""
    return hashlib.sha256(PAYLOAD_DOMAIN + salt + body.encode()).hexdigest()


def genesis(tenant_id: str, branch_uid: str) -> str:
    """What the first event of a branch without a parent names as its predecessor."""
    return hashlib.sha256(GENESIS_DOMAIN + canonical([tenant_id, branch_uid]).encode()).hexdigest()


def stamp(at: datetime) -> str:
    """An aware time in UTC as what is signed or hashed has it: RFC 3339 with microseconds."""
    return at.isoformat(timespec="microseconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class Envelope:
    """All that is hashed of an event. `at` is RFC 3339 UTC with microseconds; ids are the service's own."""

    tenant_id: str
    branch_uid: str
    seq: int
    event_uid: str
    kind: str
    at: str
    actor_uid: str | None
    subject_uids: tuple[str, ...]
    payload_commitment: str
    previous_hash: str

    def hash(self) -> str:
        """The envelope's SHA-256 in hex, which the next event names."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return hashlib.sha256(ENVELOPE_DOMAIN + canonical({"format": FORMAT, **fields}).encode()).hexdigest()
