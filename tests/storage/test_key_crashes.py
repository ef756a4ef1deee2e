"""Keys outlive a process that is killed at any moment, and a destroyed one stays destroyed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from crashing import killed_at_every_step

from service.storage.data_keys import DataKeys
from service.storage.key_files import ENCRYPTION_NAME, NEXT_NAME, KeyFiles, Rotated

SETS: list[tuple[str, ...]] = [(), ("ada",), ("ada", "bob")]
STEPS_MIN = 6
"""A crash that is tried in fewer places tries little."""


@pytest.fixture
def before(folder: Path, keys: DataKeys) -> dict[tuple[str, ...], bytes]:
    """Three keys in a folder that `again` brings back."""
    made = {people: keys.key("acme", people) for people in SETS}
    shutil.copytree(folder.parent, folder.parent.with_name("copy"))
    return made


def again(folder: Path) -> None:
    shutil.rmtree(folder.parent)
    shutil.copytree(folder.parent.with_name("copy"), folder.parent)


def found(folder: Path) -> dict[tuple[str, ...], bytes | None]:
    return {people: DataKeys(folder).find("acme", people) for people in SETS}


def secrets_below(folder: Path) -> list[bytes]:
    """What lies in files of the folder, whatever they are called."""
    return [path.read_bytes() for path in folder.rglob("*") if path.is_file()]


def test_a_rotation_wraps_every_key_anew_and_destroys_the_old_one(
    folder: Path, before: dict[tuple[str, ...], bytes]
) -> None:
    with (folder.parent / ENCRYPTION_NAME).open("rb") as held:
        old, wrapped = held.read(), set(secrets_below(folder)) - {b""}
        assert DataKeys(folder).rotate() == Rotated(wrapped=3, unreadable=0)
        held.seek(0)
        assert held.read() != old, "overwritten where it lay"
    assert found(folder) == before
    assert not wrapped & set(secrets_below(folder))
    assert not (folder.parent / NEXT_NAME).exists()
    assert (folder.parent / ENCRYPTION_NAME).stat().st_mode & 0o077 == 0


def test_a_process_goes_on_through_another_ones_rotations(
    folder: Path, keys: DataKeys, before: dict[tuple[str, ...], bytes]
) -> None:
    for _ in range(3):
        DataKeys(folder).rotate()
        assert {people: keys.find("acme", people) for people in SETS} == before
        made = keys.key("acme", ["newcomer"])
        assert DataKeys(folder).find("acme", ["newcomer"]) == made
        keys.destroy("acme", ["newcomer"])


def test_what_cannot_be_read_does_not_keep_a_rotation_from_its_end(
    folder: Path, before: dict[tuple[str, ...], bytes]
) -> None:
    next(folder.rglob("acme/tenant.key")).write_bytes(b"damaged")
    assert DataKeys(folder).rotate() == Rotated(wrapped=2, unreadable=1)
    assert DataKeys(folder).find("acme", ["ada"]) == before["ada",]


def test_a_rotation_left_after_any_key_leaves_all_readable(
    folder: Path, before: dict[tuple[str, ...], bytes]
) -> None:
    for taken in range(len(SETS) + 1):
        again(folder)
        steps = KeyFiles(folder).rotation()
        for _ in range(taken):
            next(steps)
        steps.close()
        fresh = DataKeys(folder)
        late = fresh.key("acme", [f"late-{taken}"])
        assert found(folder) == before
        DataKeys(folder).destroy("acme", ["ada"])
        assert DataKeys(folder).rotate().unreadable == 0
        assert found(folder) == before | {("ada",): None}
        assert DataKeys(folder).find("acme", [f"late-{taken}"]) == late
        assert not (folder.parent / NEXT_NAME).exists()


def test_a_rotation_killed_at_any_moment_leaves_all_readable_and_can_be_finished(
    folder: Path, before: dict[tuple[str, ...], bytes]
) -> None:
    deaths = 0
    for _ in killed_at_every_step(lambda: again(folder), lambda: KeyFiles(folder).rotate()):
        deaths += 1
        assert found(folder) == before
        assert DataKeys(folder).rotate().unreadable == 0
        assert found(folder) == before
        assert list((folder / "making").iterdir()) == list((folder / "destroyed").iterdir()) == []
        assert not (folder.parent / NEXT_NAME).exists()
    assert deaths >= STEPS_MIN


@pytest.mark.parametrize("whole", [False, True], ids=["one key", "the tenant"])
def test_a_destruction_killed_at_any_moment_is_whole_or_not_begun_and_ends_when_repeated(
    folder: Path, before: dict[tuple[str, ...], bytes], whole: bool
) -> None:
    def destroy() -> None:
        keys = DataKeys(folder)
        keys.destroy_tenant("acme") if whole else keys.destroy("acme", ["ada"])

    doomed = set(SETS) if whole else {("ada",)}
    gone = before | dict.fromkeys(doomed)
    wrapped = {path.read_bytes() for path in folder.rglob("acme/*.key")}
    deaths = 0
    for _ in killed_at_every_step(lambda: again(folder), destroy):
        deaths += 1
        assert found(folder) in (before, gone)
        destroy()
        assert found(folder) == gone
        assert len(wrapped.intersection(secrets_below(folder))) == len(SETS) - len(doomed)
    assert deaths >= STEPS_MIN


def test_a_key_whose_making_is_killed_at_any_moment_is_there_or_is_made_anew(
    folder: Path, before: dict[tuple[str, ...], bytes]
) -> None:
    for _ in killed_at_every_step(lambda: again(folder), lambda: DataKeys(folder).key("acme", ["eve"])):
        kept = DataKeys(folder).find("acme", ["eve"])
        made = DataKeys(folder).key("acme", ["eve"])
        assert kept in (None, made)
        DataKeys(folder).destroy("acme", ["eve"])
        assert DataKeys(folder).find("acme", ["eve"]) is None
        assert list((folder / "making").iterdir()) == []
        assert found(folder) == before


def test_the_very_first_key_can_be_killed_at_any_moment(folder: Path) -> None:
    def nothing() -> None:
        shutil.rmtree(folder.parent, ignore_errors=True)

    for _ in killed_at_every_step(nothing, lambda: DataKeys(folder).key("acme", ["ada"])):
        made = DataKeys(folder).key("acme", ["ada"])
        assert DataKeys(folder).find("acme", ["ada"]) == made
