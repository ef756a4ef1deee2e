"""Merkle trees of 1 to 300 leaves: the RFC's own vectors, and every proof holds for what it proves alone."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.log.merkle import (
    EMPTY_ROOT,
    Frontier,
    consistency_proof,
    cover,
    includes,
    inclusion_proof,
    is_beginning,
    leaf_hash,
    root_hash,
)

SIZES_MAX = 300
LEAVES = [leaf_hash(number.to_bytes(32)) for number in range(SIZES_MAX)]
ROOTS = [EMPTY_ROOT, *(root_hash(LEAVES[:size]) for size in range(1, SIZES_MAX + 1))]
ENTRIES = ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
KNOWN = {
    1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
}
"""Roots over the entries, as the tests of Certificate Transparency have published them."""


@pytest.mark.parametrize("size", KNOWN)
def test_known_trees_have_their_published_roots(size: int) -> None:
    leaves = [leaf_hash(bytes.fromhex(entry)) for entry in ENTRIES[:size]]
    assert root_hash(leaves).hex() == KNOWN[size]


def test_the_empty_tree_has_the_hash_of_nothing() -> None:
    assert Frontier().root() == EMPTY_ROOT == sha256(b"").digest()


def test_every_leaf_of_every_tree_up_to_300_has_a_proof_of_its_own() -> None:
    for size in [*range(1, 70), 127, 128, 129, 255, 256, 257, 299, 300]:
        for index in range(0, size, 1 + size // 40):
            path = inclusion_proof(LEAVES[:size], index)
            assert includes(ROOTS[size], size, index, LEAVES[index], path)
            assert not includes(ROOTS[size], size, index, LEAVES[(index + 1) % SIZES_MAX], path)
            assert not includes(ROOTS[size - 1], size, index, LEAVES[index], path)


@given(st.data(), st.integers(1, SIZES_MAX))
def test_a_changed_inclusion_proof_proves_nothing(data: st.DataObject, size: int) -> None:
    index = data.draw(st.integers(0, size - 1))
    path = inclusion_proof(LEAVES[:size], index)
    assert includes(ROOTS[size], size, index, LEAVES[index], path)
    other = data.draw(st.integers(0, size - 1).filter(lambda at: at != index)) if size > 1 else size
    assert not includes(ROOTS[size], size, other, LEAVES[index], path)
    assert not includes(ROOTS[size], size, index, LEAVES[index], [*path, LEAVES[0]])
    for at in range(len(path)):
        bit = data.draw(st.integers(0, 255))
        flipped = (int.from_bytes(path[at]) ^ (1 << bit)).to_bytes(32)
        changed = [*path[:at], flipped, *path[at + 1 :]]
        assert not includes(ROOTS[size], size, index, LEAVES[index], changed)
        assert not includes(ROOTS[size], size, index, LEAVES[index], path[:at] + path[at + 1 :])


@given(st.data(), st.integers(1, SIZES_MAX))
def test_a_tree_proves_that_it_goes_on_from_each_of_its_beginnings_and_from_no_other(
    data: st.DataObject, second: int
) -> None:
    first = data.draw(st.integers(1, second))
    path = consistency_proof(LEAVES[:second], first)
    assert is_beginning(ROOTS[first], first, ROOTS[second], second, path)
    forged = root_hash([*LEAVES[: first - 1], LEAVES[first % SIZES_MAX]])
    assert not is_beginning(forged, first, ROOTS[second], second, path)
    if first != second:
        assert not is_beginning(ROOTS[first], first, forged, second, path)
        assert not is_beginning(ROOTS[second], first, ROOTS[second], second, path)
    assert not is_beginning(ROOTS[first], first, ROOTS[second], second, [*path, LEAVES[0]])
    for at in range(len(path)):
        flipped = (int.from_bytes(path[at]) ^ (1 << data.draw(st.integers(0, 255)))).to_bytes(32)
        changed = [*path[:at], flipped, *path[at + 1 :]]
        assert not is_beginning(ROOTS[first], first, ROOTS[second], second, changed)


@given(st.lists(st.integers(0, 60), max_size=8))
def test_a_tree_that_grows_in_pieces_has_the_root_of_the_whole(pieces: list[int]) -> None:
    tree = Frontier()
    at = 0
    for piece in pieces:
        piece = min(piece, SIZES_MAX - at)
        tree.extend(cover(at, LEAVES[at : at + piece]))
        at += piece
        tree = Frontier(at, tree.peaks)
        assert (tree.size, tree.root()) == (at, ROOTS[at])


def test_a_tree_takes_no_leaves_from_elsewhere() -> None:
    with pytest.raises(ValueError, match="does not follow"):
        Frontier().extend(cover(1, LEAVES[:2]))
    with pytest.raises(ValueError, match="not in the tree"):
        inclusion_proof(LEAVES[:3], 3)
    with pytest.raises(ValueError, match="first tree"):
        consistency_proof(LEAVES[:3], 4)
