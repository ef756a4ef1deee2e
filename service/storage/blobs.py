"""The content-addressed blob store: bytes above the inline limit, by tenant, people and SHA-256.

    <tenant>/<scope name>/<two digits>/<sha256>   sealed under the data key of the people it is about
    <tenant>/<two digits>/<sha256>                as it was, from before blobs were sealed: only read

A local folder by default; S3, GCS and Azure by URL (obstore's schemes). A blob is written before the node
that names it, so a reader that has seen the name finds the bytes. Writing the same bytes for the same people
twice is one blob. Where a data key is destroyed, its blobs are no more, wherever copies of them lie.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import datetime
from typing import Final

import obstore
from obstore.store import LocalStore, ObjectStore, from_url

from service.errors import NotFound, Unavailable
from service.storage.data_keys import DataKeys, is_path_word, may_name, scope_name
from service.storage.sealed_bytes import seal, unseal

PAGE_MAX: Final = 500
"""Blobs that are listed, or deleted, at once."""
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


class Blobs:
    """Reads and writes one store. Thread-safe, async.

    `subject_uids` are the people of the item that names the blob, in any order. A name that no blob can have
    raises NotFound; to delete what is absent is no error.
    """

    def __init__(self, store: ObjectStore, keys: DataKeys) -> None:
        self._store = store
        self._keys = keys

    @classmethod
    def at(cls, url: str, keys: DataKeys) -> Blobs:
        """Open the store at a URL such as `file:///folder` (made when absent) or `s3://bucket/prefix`."""
        if url.startswith("file:"):
            return cls(LocalStore.from_url(url, mkdir=True), keys)
        return cls(from_url(url), keys)

    async def put(self, tenant_id: str, subject_uids: Iterable[str], sha256: str, data: bytes) -> None:
        """Store bytes under their hash, sealed for those people. Raises KeyUnreadable."""
        people = frozenset(subject_uids)
        path = _path(tenant_id, people, sha256)

        def sealed() -> bytes:
            return seal(self._keys.key(tenant_id, people), data, path.encode())

        # Written over what may be there: that could be sealed under a key that was destroyed.
        await obstore.put_async(self._store, path, await asyncio.to_thread(sealed), mode="overwrite")

    async def get(self, tenant_id: str, subject_uids: Iterable[str], sha256: str) -> bytes:
        """All bytes of a blob, checked against their hash. Raises NotFound, also where the key is destroyed,
        or Unavailable when damaged."""
        people = frozenset(subject_uids)
        path, unsealed_path = _path(tenant_id, people, sha256), _unsealed_path(tenant_id, sha256)
        key = await asyncio.to_thread(self._keys.find, tenant_id, people)
        sealed = await self._read(path) if key is not None else None
        if key is not None and sealed is not None:
            data = await asyncio.to_thread(unseal, key, sealed, path.encode())
        else:
            unsealed = await self._read(unsealed_path)
            if unsealed is None:
                raise NotFound("blob")
            data = unsealed
        if hashlib.sha256(data).hexdigest() != sha256:
            raise Unavailable("A stored blob does not match its hash.")
        return data

    async def reseal(
        self, tenant_id: str, from_subjects: Iterable[str], to_subjects: Iterable[str], sha256: str
    ) -> None:
        """Seal a blob for other people as well, or one from before blobs were sealed for the first time. What
        there was stays until it is deleted. Raises what `get` and `put` do."""
        await self.put(tenant_id, to_subjects, sha256, await self.get(tenant_id, from_subjects, sha256))

    async def list_scope(self, tenant_id: str, subject_uids: Iterable[str]) -> AsyncIterator[tuple[str, int]]:
        """The hash of every blob of exactly these people, and the bytes it takes in the store."""
        async for page in self._pages(_scope(tenant_id, subject_uids)):
            for path, size in page:
                yield path.rpartition("/")[2], size

    async def count_tenant(self, tenant_id: str) -> tuple[int, int]:
        """How many blobs a tenant has, and their bytes in the store."""
        count = size = 0
        async for page in self._pages(_tenant(tenant_id)):
            count, size = count + len(page), size + sum(one for _, one in page)
        return count, size

    async def walk(
        self, tenant_id: str, without: Iterable[str] = ()
    ) -> AsyncIterator[tuple[str, bytes, bytes | None]]:
        """Every path of a tenant with its bytes as they lie in the store, and what they say or None where no
        key opens them; for who searches for what should be gone. `without` are such sets of one person as are
        left out."""
        opened = self._opener(tenant_id)
        left_out = tuple(f"{_scope(tenant_id, [one])}/" for one in without)
        async for page in self._pages(_tenant(tenant_id)):
            for path, _ in page:
                if path.startswith(left_out):
                    continue
                stored = await self._read(path)
                if stored is not None:
                    yield path, stored, opened(path, stored)

    def _opener(self, tenant_id: str) -> Callable[[str, bytes], bytes | None]:
        scopes = {_scope(tenant_id, people): people for people in self._keys.scopes(tenant_id)}

        def opened(path: str, stored: bytes) -> bytes | None:
            people = scopes.get(path.rsplit("/", 2)[0])
            key = self._keys.find(tenant_id, people) if people is not None else None
            return None if key is None else unseal(key, stored, path.encode())

        return opened

    async def delete(self, tenant_id: str, subject_uids: Iterable[str], sha256: str) -> None:
        """Delete one blob of exactly these people."""
        await self._delete([_path(tenant_id, subject_uids, sha256)])

    async def delete_old(
        self, tenant_id: str, subject_uids: Iterable[str], sha256: str, stored_before: datetime
    ) -> None:
        """Delete one blob, unless it was stored, or stored again, since then: somebody may be about to
        name it."""
        path = _path(tenant_id, subject_uids, sha256)
        try:
            stored = await obstore.head_async(self._store, path)
        except FileNotFoundError:
            return
        if stored["last_modified"] < stored_before:
            await self._delete([path])

    async def delete_unsealed(self, tenant_id: str, sha256: str) -> None:
        """Delete a blob from before blobs were sealed, whoever names it."""
        await self._delete([_unsealed_path(tenant_id, sha256)])

    async def delete_scope(self, tenant_id: str, subject_uids: Iterable[str]) -> tuple[int, int]:
        """Delete all blobs of exactly these people; answers how many, and their bytes in the store."""
        return await self._delete_below(_scope(tenant_id, subject_uids))

    async def count_dead(self, tenant_id: str, subject_uid: str) -> int:
        """How many blobs may be of a person and of others, and open no more: their key was destroyed."""
        dead = await self._dead(tenant_id, subject_uid)
        return sum([len(page) for at in dead async for page in self._pages(at)])

    async def delete_dead(self, tenant_id: str, subject_uid: str) -> None:
        """Delete the blobs that `count_dead` counts."""
        for at in await self._dead(tenant_id, subject_uid):
            await self._delete_below(at)

    async def delete_tenant(self, tenant_id: str) -> tuple[int, int]:
        """Delete all blobs of a tenant; answers how many, and their bytes in the store."""
        return await self._delete_below(_tenant(tenant_id))

    async def _dead(self, tenant_id: str, subject_uid: str) -> list[str]:
        """Folders of sets of people whose key was destroyed; a key is made before its first blob."""
        listed = await obstore.list_with_delimiter_async(self._store, _tenant(tenant_id))
        alive = await asyncio.to_thread(self._keys.names, tenant_id)
        found = ((prefix, prefix.rpartition("/")[2]) for prefix in listed["common_prefixes"])
        return [prefix for prefix, name in found if may_name(name, subject_uid) and name not in alive]

    async def _read(self, path: str) -> bytes | None:
        try:
            return bytes(await (await obstore.get_async(self._store, path)).bytes_async())
        except FileNotFoundError:
            return None

    async def _pages(self, prefix: str) -> AsyncIterator[list[tuple[str, int]]]:
        async for page in obstore.list(self._store, prefix, chunk_size=PAGE_MAX):
            yield [(found["path"], found["size"]) for found in page]

    async def _delete_below(self, prefix: str) -> tuple[int, int]:
        count = size = 0
        async for page in self._pages(prefix):
            await self._delete([path for path, _ in page])
            count, size = count + len(page), size + sum(one for _, one in page)
        return count, size

    async def _delete(self, paths: list[str]) -> None:
        try:
            await obstore.delete_async(self._store, paths)
        except FileNotFoundError:
            if len(paths) > 1:  # One of them was absent, and kept the store from going on.
                for path in paths:
                    await self._delete([path])


def _tenant(tenant_id: str) -> str:
    if not is_path_word(tenant_id):
        raise NotFound("blob")
    return tenant_id


def _scope(tenant_id: str, subject_uids: Iterable[str]) -> str:
    return f"{_tenant(tenant_id)}/{scope_name(subject_uids)}"


def _path(tenant_id: str, subject_uids: Iterable[str], sha256: str) -> str:
    return _below(_scope(tenant_id, subject_uids), sha256)


def _unsealed_path(tenant_id: str, sha256: str) -> str:
    return _below(_tenant(tenant_id), sha256)


def _below(folder: str, sha256: str) -> str:
    if _SHA256.fullmatch(sha256) is None:
        raise NotFound("blob")
    return f"{folder}/{sha256[:2]}/{sha256}"
