"""The consistency token: what a write answers and every read accepts, opaque to clients and signed: a read
waits for its bookmarks, so nobody may make one up."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass

from service.errors import InvalidRequest

TOKEN_CHARS_MAX = 4096
SIGNATURE_BYTES = 32


@dataclass(frozen=True, slots=True)
class ConsistencyToken:
    """The database bookmarks that a later read waits for, and the branch head that the write reached."""

    bookmarks: tuple[str, ...] = ()
    branch_ref: int | None = None
    head: int | None = None

    def encode(self, secret: bytes) -> str:
        """As text for a header or a JSON field, signed with the server's secret."""
        body = json.dumps([list(self.bookmarks), self.branch_ref, self.head], separators=(",", ":")).encode()
        return base64.urlsafe_b64encode(_signature(body, secret) + body).decode().rstrip("=")

    @classmethod
    def decode(cls, text: str | None, secret: bytes) -> ConsistencyToken:
        """From what a client sent back; None is the empty token. Raises InvalidRequest where this service did
        not sign it."""
        if not text:
            return cls()
        try:
            if len(text) > TOKEN_CHARS_MAX:
                raise ValueError
            signed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
            signature, body = signed[:SIGNATURE_BYTES], signed[SIGNATURE_BYTES:]
            if not hmac.compare_digest(signature, _signature(body, secret)):
                raise ValueError
        except ValueError:
            raise InvalidRequest(
                [{"location": "Consistency-Token", "problem": "is not a token of this service"}]
            ) from None
        bookmarks, branch_ref, head = json.loads(body)
        return cls(tuple(bookmarks), branch_ref, head)


def _signature(body: bytes, secret: bytes) -> bytes:
    return hmac.new(secret, b"consistency:" + body, hashlib.sha256).digest()
