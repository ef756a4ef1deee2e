"""The keys under which what leaves the graph is sealed: one for each set of people of a tenant.

The empty set is the tenant itself, of whose data nobody is the subject. A set's file is found by its name,
which is made of a short digest of each person and one of the whole set: names alone tell which sets a person
may be in.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from service.model.chain import canonical
from service.storage.key_files import KeyFiles, KeyUnreadable, Purpose, Rotated

TENANT_SCOPE: Final = "tenant"
MANY: Final = "many"
NAMED_PEOPLE_MAX: Final = 20
"""Names of larger sets do not say who is in them: a file name has 255 bytes at most."""
_ID: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,63}")


def scope_name(subject_uids: Iterable[str]) -> str:
    """What a set of people is called in paths: letters, digits and hyphens, whatever the uids are."""
    people = sorted(set(subject_uids))
    if not people:
        return TENANT_SCOPE
    marks = [_mark(one) for one in people] if len(people) <= NAMED_PEOPLE_MAX else [MANY]
    return "-".join([*marks, hashlib.sha256(canonical(people).encode()).hexdigest()[:32]])


def may_name(name: str, subject_uid: str) -> bool:
    """Whether a set that is called so may have a person in it: surely not, or probably."""
    marks = name.split("-")[:-1]
    return _mark(subject_uid) in marks or marks == [MANY]


def is_path_word(name: str) -> bool:
    """Whether an id of ours may be a word of a path as it is."""
    return _ID.fullmatch(name) is not None


class DataKeys:
    """The data keys of one folder, of which only their owner can read the files; see `KeyFiles`.

    Thread-safe; calls may wait for the disk. Ids that no path can have raise ValueError.
    """

    def __init__(self, folder: Path) -> None:
        """The key-encryption key lies beside `folder`."""
        self._files = KeyFiles(folder)

    def key(self, tenant_id: str, subject_uids: Iterable[str]) -> bytes:
        """The key of a set of people, made when there is none. Raises KeyUnreadable."""
        people = sorted(set(subject_uids))
        return self._files.find_or_make(_name(tenant_id, people), _purpose(tenant_id, people))

    def find(self, tenant_id: str, subject_uids: Iterable[str]) -> bytes | None:
        """The key of a set of people; None where there is none or it was destroyed. Raises KeyUnreadable."""
        people = sorted(set(subject_uids))
        return self._files.find(_name(tenant_id, people), _purpose(tenant_id, people))

    def scopes(self, tenant_id: str) -> list[tuple[str, ...]]:
        """Every set of people that has a key; reads every file. Raises KeyUnreadable."""
        return self._read_scopes(tenant_id, self._files.names_in(_folder(tenant_id)))

    def scopes_of(self, tenant_id: str, subject_uid: str) -> list[tuple[str, ...]]:
        """Every set with a key that a person is in, alone or with others. Raises KeyUnreadable."""
        names = self._files.names_in(_folder(tenant_id))
        candidates = [name for name in names if may_name(name.rpartition("/")[2], subject_uid)]
        return [scope for scope in self._read_scopes(tenant_id, candidates) if subject_uid in scope]

    def names(self, tenant_id: str) -> frozenset[str]:
        """What every set that has a key is called; reads no file."""
        return frozenset(name.rpartition("/")[2] for name in self._files.names_in(_folder(tenant_id)))

    def destroy(self, tenant_id: str, subject_uids: Iterable[str]) -> bool:
        """Destroy a set's key: at once no process can use it. Answers whether there was one."""
        return self._files.destroy(_name(tenant_id, subject_uids))

    def destroy_tenant(self, tenant_id: str) -> bool:
        """Destroy all keys of a tenant at once. Answers whether there was one."""
        return self._files.destroy_folder(_folder(tenant_id))

    def named_key(self, purpose: str, uid: str) -> bytes:
        """The key of one thing that is no set of people, such as a hold; made when there is none. Raises
        KeyUnreadable."""
        return self._files.find_or_make(_other_name(purpose, uid), _other_purpose(purpose, uid))

    def find_named(self, purpose: str, uid: str) -> bytes | None:
        """The same key; None where there is none or it was destroyed. Raises KeyUnreadable."""
        return self._files.find(_other_name(purpose, uid), _other_purpose(purpose, uid))

    def destroy_named(self, purpose: str, uid: str) -> bool:
        """Destroy it. Answers whether there was one."""
        return self._files.destroy(_other_name(purpose, uid))

    def rotate(self) -> Rotated:
        """Wrap every key by a new key-encryption key and destroy the old one. Blobs stay as they are."""
        return self._files.rotate()

    def _read_scopes(self, tenant_id: str, names: list[str]) -> list[tuple[str, ...]]:
        found = []
        for name in names:
            purpose = self._files.purpose_of(name)
            if purpose is None:
                continue
            people = purpose.get("subject_uids")
            if not isinstance(people, list) or _name(tenant_id, map(str, people)) != name:
                raise KeyUnreadable
            found.append(tuple(people))
        return sorted(found)


def _mark(subject_uid: str) -> str:
    return hashlib.sha256(subject_uid.encode()).hexdigest()[:8]


def _folder(tenant_id: str) -> str:
    return f"tenants/{_word(tenant_id)}"


def _name(tenant_id: str, subject_uids: Iterable[str]) -> str:
    return f"{_folder(tenant_id)}/{scope_name(subject_uids)}"


def _purpose(tenant_id: str, people: list[str]) -> Purpose:
    return {"tenant_id": tenant_id, "subject_uids": people}


def _other_name(purpose: str, uid: str) -> str:
    return f"others/{_word(purpose)}/{_word(uid)}"


def _other_purpose(purpose: str, uid: str) -> Purpose:
    return {"purpose": purpose, "uid": uid}


def _word(name: str) -> str:
    if not is_path_word(name):
        raise ValueError("An id of the service has letters, digits, hyphens and underscores.")
    return name
