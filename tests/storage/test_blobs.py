"""Blobs are sealed for the people they are about, and are no more once those people's key is destroyed."""

from __future__ import annotations

import hashlib
import secrets
from pathlib import Path

import pytest
from obstore import put
from obstore.store import LocalStore, MemoryStore, ObjectStore

from service.errors import NotFound, Unavailable
from service.storage.blobs import PAGE_MAX, Blobs
from service.storage.data_keys import DataKeys

ADA, BOTH = ["ada"], ["ada", "bob"]
TEXT = b"Ada flies to Rome on Friday. " * 700
ODD = ["", "..", "../../secrets", "a/b", "/", "a\0b", "a%2fb", "ab" * 33, "ab" * 32 + "\n"]
NO_HASHES = ["x" * 64, "AB" * 32, "ab" * 31]


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture(params=["folder", "bucket"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ObjectStore:
    """A folder, and a store that knows no folders, as buckets are."""
    return MemoryStore() if request.param == "bucket" else LocalStore(tmp_path / "blobs", mkdir=True)


@pytest.fixture
def blobs(store: ObjectStore, keys: DataKeys) -> Blobs:
    """A store with the keys of the test."""
    return Blobs(store, keys)


async def stored(blobs: Blobs, tenant_id: str = "acme") -> dict[str, bytes]:
    return {path: data async for path, data, _ in blobs.walk(tenant_id)}


async def kept(blobs: Blobs, people: list[str]) -> list[tuple[str, int]]:
    return [one async for one in blobs.list_scope("acme", people)]


async def test_a_blob_comes_back_and_its_bytes_in_the_store_say_nothing(blobs: Blobs) -> None:
    digest = sha256(TEXT)
    for people in (ADA, BOTH, []):
        await blobs.put("acme", people, digest, TEXT)
        assert await blobs.get("acme", people, digest) == TEXT
    assert await blobs.get("acme", ["bob", "ada", "bob"], digest) == TEXT
    lying = await stored(blobs)
    assert len(lying) == 3
    assert len(set(lying.values())) == 3
    assert [path for path, data in lying.items() if b"Ada" in data or b"Rome" in data] == []
    assert [path for path in lying if "ada" in path or "bob" in path] == []


async def test_the_same_bytes_of_the_same_people_are_one_blob(blobs: Blobs) -> None:
    for _ in range(2):
        await blobs.put("acme", ADA, sha256(TEXT), TEXT)
    assert len(await stored(blobs)) == 1


async def test_others_find_nothing_under_the_same_hash(blobs: Blobs) -> None:
    await blobs.put("acme", ADA, sha256(TEXT), TEXT)
    for tenant_id, people in (("acme", BOTH), ("acme", []), ("other", ADA)):
        with pytest.raises(NotFound):
            await blobs.get(tenant_id, people, sha256(TEXT))
    assert await stored(blobs, "other") == {}


async def test_a_destroyed_key_ends_the_blob_of_one_person_and_no_other(blobs: Blobs, keys: DataKeys) -> None:
    for people in (ADA, BOTH):
        await blobs.put("acme", people, sha256(TEXT), TEXT)
    keys.destroy("acme", ADA)
    with pytest.raises(NotFound):
        await blobs.get("acme", ADA, sha256(TEXT))
    assert await blobs.get("acme", BOTH, sha256(TEXT)) == TEXT
    assert [path for path, data in (await stored(blobs)).items() if b"Rome" in data] == []


async def test_what_is_written_after_a_destruction_is_read_beside_what_it_left(
    blobs: Blobs, keys: DataKeys
) -> None:
    await blobs.put("acme", ADA, sha256(TEXT), TEXT)
    keys.destroy("acme", ADA)
    await blobs.put("acme", ADA, sha256(TEXT), TEXT)
    assert await blobs.get("acme", ADA, sha256(TEXT)) == TEXT


async def test_an_old_blob_that_nobody_sealed_is_read_until_it_is_deleted(
    blobs: Blobs, store: ObjectStore
) -> None:
    digest = sha256(TEXT)
    put(store, f"acme/{digest[:2]}/{digest}", TEXT)
    assert await blobs.get("acme", ADA, digest) == TEXT
    await blobs.reseal("acme", ADA, ADA, digest)
    assert len(await stored(blobs)) == 2
    for _ in range(2):
        await blobs.delete_unsealed("acme", digest)
    [(path, data)] = (await stored(blobs)).items()
    assert path != f"acme/{digest[:2]}/{digest}"
    assert b"Rome" not in data
    assert await blobs.get("acme", ADA, digest) == TEXT


async def test_a_blob_is_sealed_anew_for_those_who_stay(blobs: Blobs, keys: DataKeys) -> None:
    await blobs.put("acme", BOTH, sha256(TEXT), TEXT)
    await blobs.reseal("acme", BOTH, ["bob"], sha256(TEXT))
    keys.destroy("acme", BOTH)
    assert await blobs.get("acme", ["bob"], sha256(TEXT)) == TEXT
    with pytest.raises(NotFound):
        await blobs.reseal("acme", BOTH, ADA, sha256(TEXT))
    assert keys.find("acme", ADA) is None, "for nothing no key is made"


async def test_what_is_deleted_is_gone_and_what_is_absent_is_no_error(blobs: Blobs) -> None:
    for _ in range(2):
        await blobs.delete("acme", ADA, sha256(TEXT))
    await blobs.put("acme", ADA, sha256(TEXT), TEXT)
    [(digest, size)] = await kept(blobs, ADA)
    assert digest == sha256(TEXT)
    assert size > len(TEXT)
    await blobs.delete("acme", ADA, digest)
    assert await kept(blobs, ADA) == []


async def test_more_blobs_than_a_page_are_deleted_and_counted(blobs: Blobs) -> None:
    many = [secrets.token_bytes(8) for _ in range(PAGE_MAX + 20)]
    for data in many:
        await blobs.put("acme", ADA, sha256(data), data)
    await blobs.put("acme", BOTH, sha256(TEXT), TEXT)
    await blobs.put("other", ADA, sha256(TEXT), TEXT)
    size = sum(one for _, one in await kept(blobs, ADA))
    assert await blobs.delete_scope("acme", ADA) == (len(many), size)
    assert await blobs.delete_scope("acme", ADA) == (0, 0)
    assert await blobs.get("acme", BOTH, sha256(TEXT)) == TEXT
    assert (await blobs.delete_tenant("acme"))[0] == 1
    assert await blobs.delete_tenant("acme") == (0, 0)
    assert await stored(blobs) == {}
    assert len(await stored(blobs, "other")) == 1


@pytest.mark.parametrize("damage", ["flipped", "cut", "moved", "unsealed and changed"])
async def test_a_damaged_blob_is_an_error_that_names_no_content(
    blobs: Blobs, store: ObjectStore, damage: str
) -> None:
    digest, other = sha256(TEXT), sha256(b"other")
    await blobs.put("acme", ADA, digest, TEXT)
    [(path, data)] = (await stored(blobs)).items()
    await blobs.put("acme", ADA, other, b"other")
    [moved] = [one for at, one in (await stored(blobs)).items() if at != path]
    if damage == "unsealed and changed":
        await blobs.delete("acme", ADA, digest)
        put(store, f"acme/{digest[:2]}/{digest}", TEXT + b"!")
    else:
        put(
            store,
            path,
            {"flipped": data[:-1] + bytes([data[-1] ^ 1]), "cut": data[:5], "moved": moved}[damage],
        )
    with pytest.raises(Unavailable) as raised:
        await blobs.get("acme", ADA, digest)
    assert str(raised.value) in ("Sealed bytes cannot be opened", "A stored blob does not match its hash.")


@pytest.mark.parametrize("odd", ODD)
async def test_no_name_leads_out_of_a_tenants_blobs(blobs: Blobs, tmp_path: Path, odd: str) -> None:
    places = [("acme", no_hash) for no_hash in NO_HASHES]
    for tenant_id, digest in ((odd, sha256(TEXT)), ("acme", odd), *places):
        for ask in (blobs.get, blobs.delete):
            with pytest.raises(NotFound):
                await ask(tenant_id, ADA, digest)
        with pytest.raises(NotFound):
            await blobs.put(tenant_id, ADA, digest, TEXT)
        with pytest.raises(NotFound):
            await blobs.delete_unsealed(tenant_id, digest)
    await blobs.put("acme", [odd], sha256(TEXT), TEXT)
    assert await blobs.get("acme", [odd], sha256(TEXT)) == TEXT
    assert {path.split("/")[0] for path in await stored(blobs)} == {"acme"}


async def test_blobs_whose_key_was_destroyed_are_known_by_the_name_of_their_people(
    blobs: Blobs, keys: DataKeys
) -> None:
    digest = sha256(TEXT)
    for people in (ADA, BOTH, ["bob"], [f"p{n}" for n in range(30)], []):
        await blobs.put("acme", people, digest, TEXT)
    for people in (ADA, BOTH, [f"p{n}" for n in range(30)]):
        assert await blobs.count_dead("acme", "ada") == 0
        keys.destroy("acme", people)
        assert await blobs.count_dead("acme", "ada") == 1
        await blobs.delete_dead("acme", "ada")
    assert await blobs.count_dead("acme", "bob") == 0
    assert len(await stored(blobs)) == 2
