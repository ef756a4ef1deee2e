"""The content-addressed blob store: bytes above the inline limit, by tenant and SHA-256.

A local folder by default; S3, GCS and Azure by URL (obstore's schemes). A blob is written before the node
that names it, so a reader that has seen the name finds the bytes; writing the same bytes twice is one blob.
"""

from __future__ import annotations

import hashlib

import obstore
from obstore.exceptions import AlreadyExistsError
from obstore.store import LocalStore, ObjectStore, from_url

from service.errors import NotFound, Unavailable


class Blobs:
    """Reads and writes one store. Thread-safe, async."""

    def __init__(self, store: ObjectStore) -> None:
        self._store = store

    @classmethod
    def at(cls, url: str) -> Blobs:
        """Open the store at a URL such as `file:///folder` (made when absent) or `s3://bucket/prefix`."""
        if url.startswith("file:"):
            return cls(LocalStore.from_url(url, mkdir=True))
        return cls(from_url(url))

    async def put(self, tenant_id: str, sha256: str, data: bytes) -> None:
        """Store bytes under their hash unless they are there already."""
        try:
            await obstore.put_async(self._store, _path(tenant_id, sha256), data, mode="create")
        except AlreadyExistsError:
            return

    async def get(self, tenant_id: str, sha256: str) -> bytes:
        """All bytes of a blob, checked against their hash. Raises NotFound, or Unavailable when damaged."""
        try:
            found = await obstore.get_async(self._store, _path(tenant_id, sha256))
            data = bytes(await found.bytes_async())
        except FileNotFoundError:
            raise NotFound("blob") from None
        if hashlib.sha256(data).hexdigest() != sha256:
            raise Unavailable("A stored blob does not match its hash.")
        return data


def _path(tenant_id: str, sha256: str) -> str:
    return f"{tenant_id}/{sha256[:2]}/{sha256}"
