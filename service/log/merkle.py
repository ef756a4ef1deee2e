"""Merkle trees as RFC 9162 hashes them: roots, inclusion proofs, consistency proofs.

A leaf's entry is an event's hash, 32 bytes. Proofs are made from all leaf hashes of a tree and are checked
from a handful of them. Indexes count from 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import NamedTuple

EMPTY_ROOT = sha256(b"").digest()


class Node(NamedTuple):
    """A whole subtree over the leaves `start <= index < start + size`; size is a power of two."""

    start: int
    size: int
    hash: bytes


def leaf_hash(entry: bytes) -> bytes:
    """The hash of a leaf; the prefix keeps it apart from that of an inner node."""
    return sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of an inner node."""
    return sha256(b"\x01" + left + right).digest()


def cover(start: int, leaves: Sequence[bytes]) -> list[Node]:
    """The fewest whole subtrees over leaf hashes of which the first has the index `start`, in order."""
    left: list[Node] = []
    right: list[Node] = []
    row, index, size = list(leaves), start, 1
    while row:
        if index % 2:
            left.append(Node(index * size, size, row.pop(0)))
            index += 1
        if len(row) % 2:
            right.append(Node((index + len(row) - 1) * size, size, row.pop()))
        row = [sha256(b"\x01" + row[at] + row[at + 1]).digest() for at in range(0, len(row), 2)]
        index, size = index // 2, size * 2
    return left + right[::-1]


class Frontier:
    """A tree that grows to the right; it keeps the roots of its largest whole subtrees, the `peaks`."""

    __slots__ = ("_nodes",)

    def __init__(self, size: int = 0, peaks: Sequence[bytes] = ()) -> None:
        """An empty tree, or one that goes on; raises ValueError where the peaks are not as many as needed."""
        sizes = [1 << bit for bit in reversed(range(size.bit_length())) if size >> bit & 1]
        self._nodes: list[Node] = []
        for width, peak in zip(sizes, peaks, strict=True):
            self._nodes.append(Node(self.size, width, peak))

    @property
    def size(self) -> int:
        """The number of leaves."""
        return sum(self._nodes[-1][:2]) if self._nodes else 0

    @property
    def peaks(self) -> list[bytes]:
        """The roots of the whole subtrees, largest first: with the size all that is needed to go on."""
        return [node.hash for node in self._nodes]

    def extend(self, nodes: Iterable[Node]) -> None:
        """Add whole subtrees that follow the last leaf, in order. Raises ValueError on a gap."""
        for node in nodes:
            if node.start != self.size:
                raise ValueError("a subtree does not follow the last leaf")
            while self._nodes and self._nodes[-1].size == node.size:
                before = self._nodes.pop()
                node = Node(before.start, 2 * node.size, node_hash(before.hash, node.hash))
            self._nodes.append(node)

    def root(self) -> bytes:
        """The tree's root."""
        return root_of_peaks(self.peaks)


def root_of_peaks(peaks: Sequence[bytes]) -> bytes:
    """The root over whole subtrees, largest first."""
    if not peaks:
        return EMPTY_ROOT
    root = peaks[-1]
    for peak in reversed(peaks[:-1]):
        root = node_hash(peak, root)
    return root


def root_hash(leaves: Sequence[bytes]) -> bytes:
    """The root over all leaf hashes."""
    return root_of_peaks([node.hash for node in cover(0, leaves)])


def inclusion_proof(leaves: Sequence[bytes], index: int) -> list[bytes]:
    """The hashes that lead from the leaf at `index` to the root, nearest first."""
    if not 0 <= index < len(leaves):
        raise ValueError("the leaf is not in the tree")
    if len(leaves) == 1:
        return []
    split = _split(len(leaves))
    left, right = leaves[:split], leaves[split:]
    if index < split:
        return [*inclusion_proof(left, index), root_hash(right)]
    return [*inclusion_proof(right, index - split), root_hash(left)]


def consistency_proof(leaves: Sequence[bytes], first: int) -> list[bytes]:
    """The hashes that show that the tree of the first `first` leaves is the beginning of the whole one."""
    if not 0 < first <= len(leaves):
        raise ValueError("the first tree is empty or larger than the second")
    return _subproof(leaves, first, whole=True)


def includes(root: bytes, size: int, index: int, leaf: bytes, path: Sequence[bytes]) -> bool:
    """Whether a proof leads from a leaf hash at `index` to the root of `size` leaves. RFC 9162, 2.1.3.2."""
    if not 0 <= index < size:
        return False
    at, last, reached = index, size - 1, leaf
    for one in path:
        if last == 0:
            return False
        if at % 2 or at == last:
            reached = node_hash(one, reached)
            while at % 2 == 0 and at:
                at, last = at >> 1, last >> 1
        else:
            reached = node_hash(reached, one)
        at, last = at >> 1, last >> 1
    return last == 0 and reached == root


def is_beginning(
    first_root: bytes, first: int, second_root: bytes, second: int, path: Sequence[bytes]
) -> bool:
    """Whether a proof shows that the tree of `second` leaves goes on from that of `first`, which is not
    empty.

    RFC 9162, 2.1.4.2.
    """
    if not 0 < first <= second:
        return False
    if first == second:
        return not path and first_root == second_root
    hashes = [first_root, *path] if first & (first - 1) == 0 else list(path)
    if not hashes:
        return False
    at, last = first - 1, second - 1
    while at % 2:
        at, last = at >> 1, last >> 1
    old = new = hashes[0]
    for one in hashes[1:]:
        if last == 0:
            return False
        if at % 2 or at == last:
            old, new = node_hash(one, old), node_hash(one, new)
            while at % 2 == 0 and at:
                at, last = at >> 1, last >> 1
        else:
            new = node_hash(new, one)
        at, last = at >> 1, last >> 1
    return last == 0 and old == first_root and new == second_root


def _split(size: int) -> int:
    """The largest power of two below `size`: how many leaves stand left of the root."""
    return 1 << (size - 1).bit_length() - 1


def _subproof(leaves: Sequence[bytes], first: int, *, whole: bool) -> list[bytes]:
    """RFC 9162, 2.1.4.1: `whole` says that the first tree's root is known to who checks."""
    if first == len(leaves):
        return [] if whole else [root_hash(leaves)]
    split = _split(len(leaves))
    left, right = leaves[:split], leaves[split:]
    if first <= split:
        return [*_subproof(left, first, whole=whole), root_hash(right)]
    return [*_subproof(right, first - split, whole=False), root_hash(left)]
