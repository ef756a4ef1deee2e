"""Keys as files, each wrapped by the key-encryption key: made once, destroyed for good, wrapped anew.

    key-encryption.key    beside the folder: wraps the keys; its successor while it is rotated is
                          key-encryption.next
    kept/…                wrapped keys, each with what it is for
    making/               files on their way to their place; a crash may leave some
    destroyed/            what was taken away and is being overwritten; a crash may leave some
    lock                  held by whoever changes any of this, for a moment
    rotation              held by who rotates, to the end

A file comes to its place, and leaves it, by one rename: there is a whole key or none. What a crash left in
`making` or `destroyed` is overwritten by whoever destroys or rotates next.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Final

from service.errors import Unavailable
from service.model.chain import canonical
from service.private_files import write_private
from service.storage.sealed_bytes import SealBroken, new_key, seal, unseal

ENCRYPTION_NAME: Final = "key-encryption.key"
NEXT_NAME: Final = "key-encryption.next"
SUFFIX: Final = ".key"
FORMAT: Final = 1
CACHED_MAX: Final = 4096
"""Unwrapped keys that a process holds in memory at most; the ones used longest ago go first."""
ATTEMPTS_MAX: Final = 5
"""A key that another process destroys, or wraps anew, just while it is read is read again."""

Purpose = dict[str, Any]
"""What a key is for; it is bound to its file by the wrapping."""


class KeyUnreadable(Unavailable):
    """A key is there and cannot be unwrapped: its file is damaged, or its key-encryption key is gone."""

    title = "A key in the folder of secrets cannot be read"


@dataclass(frozen=True, slots=True)
class Rotated:
    """How many keys are wrapped by the new key-encryption key, and how many were unreadable before."""

    wrapped: int
    unreadable: int


@dataclass(frozen=True, slots=True)
class _Wrapped:
    """A key's file: what it is for, by which key-encryption key it is wrapped, and the wrapped bytes."""

    purpose: Purpose
    encryption_id: str
    sealed: bytes

    @classmethod
    def of(cls, purpose: Purpose, key: bytes, encryption_key: bytes) -> _Wrapped:
        return cls(purpose, _id_of(encryption_key), seal(encryption_key, key, canonical(purpose).encode()))

    @classmethod
    def parse(cls, content: bytes) -> _Wrapped:
        try:
            read = json.loads(content)
            if read["format"] != FORMAT:
                raise ValueError
            return cls(dict(read["purpose"]), str(read["encryption_id"]), bytes.fromhex(read["sealed"]))
        except (ValueError, KeyError, TypeError):
            raise KeyUnreadable from None

    def content(self) -> bytes:
        kept = {"purpose": self.purpose, "encryption_id": self.encryption_id, "sealed": self.sealed.hex()}
        return canonical(kept | {"format": FORMAT}).encode()

    def unwrap(self, encryption_key: bytes) -> bytes:
        try:
            return unseal(encryption_key, self.sealed, canonical(self.purpose).encode())
        except SealBroken:
            raise KeyUnreadable from None


class KeyFiles:
    """One folder of wrapped keys, shared by processes. Thread-safe; calls may wait for the disk.

    `name` is a path below the folder without its suffix, made of safe words.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kept = folder / "kept"
        self._making = folder / "making"
        self._destroyed = folder / "destroyed"
        self._encryption = folder.parent / ENCRYPTION_NAME
        self._next = folder.parent / NEXT_NAME
        self._cache: OrderedDict[Path, tuple[tuple[int, int], bytes]] = OrderedDict()
        self._cache_lock = Lock()

    def find(self, name: str, purpose: Purpose) -> bytes | None:
        """The key; None where there is none (any more), whatever this process remembers. Raises
        KeyUnreadable."""
        path = self._path(name)
        for _ in range(ATTEMPTS_MAX):
            try:
                status = path.stat()
                identity = (status.st_ino, status.st_mtime_ns)
                with self._cache_lock:
                    known = self._cache.get(path)
                    if known is not None and known[0] == identity:
                        self._cache.move_to_end(path)
                        return known[1]
                wrapped = _Wrapped.parse(path.read_bytes())
            except FileNotFoundError:
                self._forget(path)
                return None
            if wrapped.purpose != purpose:
                raise KeyUnreadable
            by = self._encryption_keys().get(wrapped.encryption_id)
            if by is not None:
                key = wrapped.unwrap(by)
                self._remember(path, identity, key)
                return key
        raise KeyUnreadable

    def find_or_make(self, name: str, purpose: Purpose) -> bytes:
        """The key, made when there is none; of several who make it at once, one wins. Raises
        KeyUnreadable."""
        for _ in range(ATTEMPTS_MAX):
            key = self.find(name, purpose)
            if key is not None:
                return key
            with self._alone():
                if not self._path(name).exists():
                    wrapped = _Wrapped.of(purpose, new_key(), self._newest_encryption_key())
                    self._write(self._path(name), wrapped.content())
        raise KeyUnreadable

    def purpose_of(self, name: str) -> Purpose | None:
        """What a key is for, None where there is none. Raises KeyUnreadable."""
        try:
            return _Wrapped.parse(self._path(name).read_bytes()).purpose
        except FileNotFoundError:
            return None

    def names_in(self, folder: str) -> list[str]:
        """The names of the keys right below a folder, in no order: names are read, and no file."""
        try:
            with os.scandir(self._kept / folder) as entries:
                found = [entry.name for entry in entries]
        except FileNotFoundError:
            return []
        return [f"{folder}/{name.removesuffix(SUFFIX)}" for name in found if name.endswith(SUFFIX)]

    def destroy(self, name: str) -> bool:
        """Destroy a key for every process at once; answers whether there was one."""
        return self._take_away(self._path(name))

    def destroy_folder(self, folder: str) -> bool:
        """Destroy all keys below a folder for every process at once; answers whether there was one."""
        return self._take_away(self._kept / folder)

    def rotation(self) -> Iterator[bool]:
        """Wrap all keys by a new key-encryption key and destroy the old one, step by step.

        Yields for each key whether it could be read. Left after any step, or killed within one, every key
        stays readable, and the next rotation goes on to the end of this one. Who makes keys meanwhile has
        them wrapped by the new key already.
        """
        with self._alone("rotation"):
            with self._alone():
                self._newest_encryption_key()
                self._sweep()
                if not self._next.exists():
                    self._write(self._next, new_key())
            for path in self._all_paths():
                with self._alone():
                    readable = self._wrap_anew(path)
                yield readable
            with self._alone(), self._encryption.open("r+b") as old:
                self._next.replace(self._encryption)
                _sync(self._encryption.parent)
                _overwrite(old.fileno())
            self._wipe()

    def rotate(self) -> Rotated:
        """All of `rotation`."""
        readable = list(self.rotation())
        return Rotated(sum(readable), len(readable) - sum(readable))

    def _path(self, name: str) -> Path:
        return self._kept / f"{name}{SUFFIX}"

    def _all_paths(self) -> Iterator[Path]:
        for folder, _, files in os.walk(self._kept):
            yield from (Path(folder) / file for file in files)

    def _wrap_anew(self, path: Path) -> bool:
        try:
            wrapped = _Wrapped.parse(path.read_bytes())
            newest, by = self._newest_encryption_key(), self._encryption_keys().get(wrapped.encryption_id)
            if by is None:
                return False
            key = wrapped.unwrap(by)
            if by != newest:
                self._write(path, _Wrapped.of(wrapped.purpose, key, newest).content())
        except FileNotFoundError:
            return True  # Destroyed meanwhile: there is nothing to wrap.
        except KeyUnreadable:
            return False
        return True

    def _encryption_keys(self) -> dict[str, bytes]:
        """The key-encryption keys that keys may be wrapped by now, by id."""
        found = {}
        for path in (self._encryption, self._next):
            with suppress(FileNotFoundError):
                key = path.read_bytes()
                found[_id_of(key)] = key
        return found

    def _newest_encryption_key(self) -> bytes:
        """The one to wrap by, made at the very first; only under the lock. Raises KeyUnreadable where it was
        lost: a new one would hide that all keys are."""
        if not self._encryption.exists():
            if any(self._all_paths()):
                raise KeyUnreadable("The key-encryption key is gone, and there are keys that it wrapped.")
            self._write(self._encryption, new_key())
        return (self._next if self._next.exists() else self._encryption).read_bytes()

    def _take_away(self, path: Path) -> bool:
        with self._alone():
            self._sweep()
            found = path.exists()
            if found:
                self._discard(path)
                _sync(path.parent)
                _sync(self._destroyed)
        with self._cache_lock:
            for known in [one for one in self._cache if one == path or path in one.parents]:
                del self._cache[known]
        self._wipe()
        return found

    def _sweep(self) -> None:
        """Take away what crashes left half made; only under the lock."""
        for part in self._making.iterdir():
            self._discard(part)

    def _discard(self, path: Path) -> None:
        path.replace(self._destroyed / secrets.token_hex(16))

    def _wipe(self) -> None:
        """Overwrite and remove whatever was taken away, by this process or by one that crashed."""
        for folder, below, files in os.walk(self._destroyed, topdown=False):
            for file in files:
                with suppress(FileNotFoundError), (Path(folder) / file).open("r+b") as opened:
                    _overwrite(opened.fileno())
                    Path(opened.name).unlink()
            for one in below:
                with suppress(OSError):  # Somebody else's wiping may be further, or not so far.
                    (Path(folder) / one).rmdir()
        _sync(self._destroyed)

    def _write(self, path: Path, content: bytes) -> None:
        """Put a whole file in its place, to stay; only under the lock."""
        if not path.parent.exists():
            path.parent.mkdir(parents=True, mode=0o700)
            for folder in path.parent.parents:
                _sync(folder)
                if folder == self._folder.parent:
                    break
        part = self._making / secrets.token_hex(16)
        write_private(part, content)
        part.replace(path)
        _sync(path.parent)

    @contextmanager
    def _alone(self, lock: str = "lock") -> Iterator[None]:
        for folder in (self._folder, self._kept, self._making, self._destroyed):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (self._folder / lock).open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _remember(self, path: Path, identity: tuple[int, int], key: bytes) -> None:
        with self._cache_lock:
            self._cache[path] = (identity, key)
            while len(self._cache) > CACHED_MAX:
                self._cache.popitem(last=False)

    def _forget(self, path: Path) -> None:
        with self._cache_lock:
            self._cache.pop(path, None)


def _id_of(encryption_key: bytes) -> str:
    return hashlib.sha256(b"runtime-graph key-encryption key\0" + encryption_key).hexdigest()[:16]


def _overwrite(file: int) -> None:
    os.pwrite(file, secrets.token_bytes(max(os.fstat(file).st_size, 1)), 0)
    os.fsync(file)


def _sync(folder: Path) -> None:
    """Make what happened to a folder's names outlast a loss of power."""
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
