"""Texts in the order in which they were said, kept ready for searching."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.text.search.pieces import pieces
from service.text.search.terms import counted

Mask = NDArray[np.bool_]
Scores = NDArray[np.float64]
Vectors = NDArray[np.float32]
"""One row for each text, each of length 1."""

ROWS_AT_FIRST: Final = 64


class Postings:
    """For every term, which texts have it and how often."""

    def __init__(self) -> None:
        self.lengths = array("i")
        self._having: dict[str, tuple[array[int], array[int]]] = {}

    def add(self, text: str) -> None:
        """One more text, numbered from 0."""
        number, length = len(self.lengths), 0
        for term, times in counted(text).items():
            having = self._having.get(term)
            if having is None:
                having = self._having[term] = array("i"), array("i")
            having[0].append(number)
            having[1].append(times)
            length += times
        self.lengths.append(length)

    def times(self, term: str) -> Scores:
        """How often each text has a term."""
        found = np.zeros(len(self.lengths))
        if term in self._having:
            numbers, times = self._having[term]
            found[np.array(numbers)] = np.array(times)
        return found


class Rows:
    """Vectors, one below the other; room for more is made ahead."""

    def __init__(self) -> None:
        self._room: Vectors | None = None
        self.count = 0

    def add(self, vectors: Vectors) -> None:
        """More rows."""
        needed = self.count + len(vectors)
        if self._room is None or needed > len(self._room):
            larger = np.zeros((max(ROWS_AT_FIRST, 2 * needed), vectors.shape[1]), dtype=np.float32)
            if self._room is not None:
                larger[: self.count] = self._room[: self.count]
            self._room = larger
        self._room[self.count : needed] = vectors
        self.count = needed

    def near(self, vector: Vectors, size: int) -> Scores:
        """The cosine of the first `size` rows with a vector; 0 for those that are not there yet."""
        found = np.zeros(size)
        if self._room is not None:
            rows = min(size, self.count)
            # `@` rounds a row by where it stands and by how many there are: equals would differ
            found[:rows] = np.einsum("ij,j->i", self._room[:rows], vector)
        return found


class Index:
    """It only grows, by `add`; vectors follow by `embed`, for the texts that have none yet, in order."""

    def __init__(self) -> None:
        self.texts = Postings()
        self.pieces = Postings()
        self.by: list[str] = []
        """Who said each."""
        self.ends: list[int] = []
        """Where the pieces of each text end among all pieces."""
        self.wholes = Rows()
        self.parts = Rows()

    def add(self, said: Iterable[tuple[str, str]]) -> None:
        """More texts, each with who said it."""
        for text, by in said:
            self.texts.add(text)
            for piece in pieces(text):
                self.pieces.add(piece)
            self.by.append(by)
            self.ends.append(len(self.pieces.lengths))

    def embed(self, wholes: Vectors, parts: Vectors) -> None:
        """The vectors of the next texts, and those of all their pieces."""
        self.wholes.add(wholes)
        self.parts.add(parts)

    def __len__(self) -> int:
        return len(self.by)

    def near_texts(self, vector: Vectors) -> Scores:
        """The cosine of each text with a vector."""
        return self.wholes.near(vector, len(self))

    def near_pieces(self, vector: Vectors) -> Scores:
        """The cosine of each piece with a vector."""
        return self.parts.near(vector, len(self.pieces.lengths))

    def piece_counts(self) -> NDArray[np.int64]:
        """How many pieces each text has."""
        ends = np.array([0, *self.ends], dtype=np.int64)
        return ends[1:] - ends[:-1]

    def pieces_of(self, number: int) -> slice:
        """Where the pieces of a text stand."""
        return slice(self.ends[number - 1] if number else 0, self.ends[number])


@dataclass(frozen=True, slots=True)
class View:
    """Those texts of an index that a search may know of: one flag for each."""

    index: Index
    shown: Mask
    times: Scores | None = None
    """When each was said, in seconds; None where they stand in no time."""

    @property
    def pieces_shown(self) -> Mask:
        """The same for pieces."""
        return np.repeat(self.shown, self.index.piece_counts())
