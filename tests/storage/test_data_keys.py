"""Data keys: one for each set of people, the same for every process, and destroyed for all at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from service.storage.data_keys import DataKeys, scope_name
from service.storage.key_files import ENCRYPTION_NAME, KeyUnreadable
from service.storage.sealed_bytes import KEY_BYTES, SealBroken, seal, unseal

ADA, BOB = "0190c0de-0000-7000-8000-00000000ada0", "0190c0de-0000-7000-8000-00000000b0b0"
CROWD = [f"0190c0de-0000-7000-8000-{number:012}" for number in range(30)]
SETS = ((), (ADA,), (BOB,), (ADA, BOB), (ADA, *CROWD))
ODD = ["", ".", "..", "../acme", "a/b", "/etc", "a\0b", "a.key", "ä", "a" * 65, "-a", "a\n"]

MAKE_KEYS = """
import sys
from pathlib import Path
from service.storage.data_keys import DataKeys
keys = DataKeys(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
print(*(keys.key("acme", [str(number)]).hex() for number in range(40)))
"""


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def file_of(folder: Path, *people: str) -> Path:
    [path] = folder.rglob(f"acme/{scope_name(people)}.key")
    return path


def test_each_set_of_people_has_its_own_key_whatever_their_order(keys: DataKeys, folder: Path) -> None:
    made = [keys.key("acme", people) for people in SETS]
    assert len(set(made)) == len(SETS)
    assert {len(key) for key in made} == {KEY_BYTES}
    assert keys.key("acme", [BOB, ADA, BOB]) == keys.key("acme", [ADA, BOB])
    assert keys.key("other", [ADA]) != keys.key("acme", [ADA])
    assert [DataKeys(folder).find("acme", people) for people in SETS] == made
    assert keys.find("acme", CROWD) is None


def test_a_key_lies_wrapped_in_a_file_that_only_its_owner_reads(keys: DataKeys, folder: Path) -> None:
    made = [keys.key("acme", people) for people in SETS] + [keys.named_key("hold", ADA)]
    stored = files(folder.parent)
    assert {path.stat().st_mode & 0o077 for path in stored if path.suffix == ".key"} == {0}
    whole = b"".join(path.read_bytes() for path in stored)
    assert [key for key in made if key in whole or key.hex().encode() in whole] == []


def test_processes_that_make_the_same_keys_at_once_have_the_same_keys(folder: Path) -> None:
    command = [sys.executable, "-c", MAKE_KEYS, str(folder)]
    makers = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    for maker in makers:
        assert maker.stdout is not None
        assert maker.stdout.readline() == "ready\n"
    for maker in makers:
        assert maker.stdin is not None
        maker.stdin.write("\n")
        maker.stdin.flush()
    told = {maker.communicate()[0] for maker in makers}
    assert {maker.returncode for maker in makers} == {0}
    [line] = told
    assert len(set(line.split())) == 40


def test_a_destroyed_key_is_gone_for_processes_that_remember_it(keys: DataKeys, folder: Path) -> None:
    other = DataKeys(folder)
    before = keys.key("acme", [ADA])
    assert other.find("acme", [ADA]) == before
    wrapped = file_of(folder, ADA).read_bytes()
    assert keys.destroy("acme", [ADA])
    assert not keys.destroy("acme", [ADA])
    assert other.find("acme", [ADA]) is None
    assert [path for path in files(folder) if path.read_bytes() == wrapped] == []
    assert list((folder / "destroyed").iterdir()) == []
    assert other.key("acme", [ADA]) != before


def test_the_bytes_of_a_destroyed_key_are_overwritten_where_they_lay(keys: DataKeys, folder: Path) -> None:
    keys.key("acme", [ADA])
    with file_of(folder, ADA).open("rb") as held:
        wrapped = held.read()
        keys.destroy("acme", [ADA])
        held.seek(0)
        assert held.read() != wrapped


def test_a_tenants_keys_go_together_and_no_others(keys: DataKeys, folder: Path) -> None:
    for people in SETS:
        keys.key("acme", people)
    kept = keys.key("other", [ADA])
    assert keys.destroy_tenant("acme")
    assert not keys.destroy_tenant("acme")
    assert keys.scopes("acme") == []
    assert {keys.find("acme", people) for people in SETS} == {None}
    assert list((folder / "destroyed").iterdir()) == []
    assert keys.find("other", [ADA]) == kept
    assert keys.key("acme", [ADA]) is not None


def test_other_things_have_keys_by_what_they_are_for(keys: DataKeys) -> None:
    held = keys.named_key("hold", "h1")
    assert keys.find_named("hold", "h1") == held != keys.named_key("request", "h1")
    assert keys.destroy_named("hold", "h1")
    assert not keys.destroy_named("hold", "h1")
    assert keys.find_named("hold", "h1") is None
    assert keys.find_named("request", "h1") is not None


def test_the_sets_that_a_person_is_in_are_found_without_reading_others_files(
    keys: DataKeys, folder: Path
) -> None:
    for people in SETS:
        keys.key("acme", people)
    keys.key("other", [ADA, *CROWD[:3]])
    assert keys.scopes("acme") == sorted(tuple(sorted(people)) for people in SETS)
    of_ada = sorted(tuple(sorted(people)) for people in SETS if ADA in people)
    assert keys.scopes_of("acme", ADA) == of_ada
    for number in range(200):
        keys.key("acme", [f"stranger-{number}"])
        file_of(folder, f"stranger-{number}").write_bytes(b"unreadable")
    assert keys.scopes_of("acme", ADA) == of_ada
    assert keys.scopes_of("acme", "nobody") == keys.scopes_of("nowhere", ADA) == []
    with pytest.raises(KeyUnreadable):
        keys.scopes("acme")


def test_a_set_whose_name_cannot_say_who_is_in_it_is_found_all_the_same(keys: DataKeys) -> None:
    keys.key("acme", CROWD)
    assert keys.scopes_of("acme", CROWD[7]) == [tuple(CROWD)]
    assert keys.scopes_of("acme", ADA) == []


@pytest.mark.parametrize("damage", ["cut", "emptied", "flipped", "swapped", "no object", "of another set"])
def test_a_damaged_file_is_an_error_that_names_nobody(keys: DataKeys, folder: Path, damage: str) -> None:
    keys.key("acme", [ADA])
    keys.key("acme", [BOB])
    path, whole = file_of(folder, ADA), file_of(folder, ADA).read_bytes()
    others = file_of(folder, BOB).read_bytes()
    at = whole.index(b'"sealed":"') + 20
    harm = {
        "cut": whole[:-9],
        "emptied": b"",
        "flipped": whole[:at] + (b"0" if whole[at : at + 1] != b"0" else b"1") + whole[at + 1 :],
        "swapped": others,
        "no object": b"[1]",
        "of another set": others.replace(BOB.encode(), ADA.encode()),
    }
    path.write_bytes(harm[damage])
    for reader in (keys, DataKeys(folder)):
        for ask in (reader.find, reader.key):
            with pytest.raises(KeyUnreadable) as raised:
                ask("acme", [ADA])
            assert str(raised.value) == KeyUnreadable.title
            assert raised.value.__suppress_context__ or raised.value.__context__ is None
    assert keys.destroy("acme", [ADA]), "what cannot be read can be destroyed"


def test_a_lost_key_encryption_key_is_an_error_and_no_new_one_takes_its_place(
    keys: DataKeys, folder: Path
) -> None:
    keys.key("acme", [ADA])
    (folder.parent / ENCRYPTION_NAME).unlink()
    fresh = DataKeys(folder)
    for ask in (fresh.find, fresh.key):
        with pytest.raises(KeyUnreadable):
            ask("acme", [ADA])
    with pytest.raises(KeyUnreadable):
        fresh.key("acme", [BOB])
    with pytest.raises(KeyUnreadable):
        fresh.rotate()
    assert not (folder.parent / ENCRYPTION_NAME).exists()


@pytest.mark.parametrize("odd", ODD)
def test_no_id_leads_out_of_the_folder(keys: DataKeys, folder: Path, odd: str) -> None:
    for ask in (keys.key, keys.find, keys.destroy):
        with pytest.raises(ValueError, match="An id of the service has letters"):
            ask(odd, [ADA])
    for ask_all in (keys.scopes, keys.destroy_tenant):
        with pytest.raises(ValueError, match="An id of the service has letters"):
            ask_all(odd)
    for purpose, uid in ((odd, "h1"), ("hold", odd)):
        with pytest.raises(ValueError, match="An id of the service has letters"):
            keys.named_key(purpose, uid)
    keys.key("acme", [odd])
    assert keys.scopes_of("acme", odd) == [(odd,)]
    assert file_of(folder, odd).parent == folder / "kept" / "tenants" / "acme"


def test_sealed_bytes_open_only_whole_under_their_key_and_in_their_place() -> None:
    key, plain = b"k" * KEY_BYTES, b"the quick brown fox"
    sealed = seal(key, plain, b"here")
    assert plain not in sealed
    assert seal(key, plain, b"here") != sealed
    assert unseal(key, sealed, b"here") == plain
    broken = [sealed[:size] for size in range(len(sealed))] + [b"\x02" + sealed[1:], sealed + b"x"]
    broken += [sealed[:n] + bytes([sealed[n] ^ 1]) + sealed[n + 1 :] for n in range(len(sealed))]
    wrong = [(key, one, b"here") for one in broken]
    for used, one, place in [*wrong, (b"j" * KEY_BYTES, sealed, b"here"), (key, sealed, b"there")]:
        with pytest.raises(SealBroken) as raised:
            unseal(used, one, place)
        assert str(raised.value) == SealBroken.title
