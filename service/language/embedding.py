"""Turn texts into vectors: on this machine, or by a model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Protocol

import httpx
import numpy as np
from numpy.typing import NDArray

from service.errors import Unavailable
from service.language.endpoint import EndpointModel

Vectors = NDArray[np.float32]

TEXTS_PER_CALL = 256
TEXT_CHARS_MAX = 8_000
"""What comes after it in a text has no part in its vector."""
LOCAL_SIZE = 256
"""Numbers of a vector that is made on this machine."""
BATCH_BYTES_MAX = 65_536
"""The texts of a batch, were all as long as its longest: a byte may be a token, which takes a kilobyte."""
LEAST_LENGTH = 1e-9


class Embedder(Protocol):
    """Makes vectors of one model. Two texts are the nearer the larger the product of their vectors."""

    @property
    def model(self) -> str:
        """The model's name: vectors of different models cannot be compared."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 for each text; of zeros for one without words. Raises Unavailable."""
        ...


class LocalEmbedder:
    """wordllama's static vectors, 256 numbers each: they come with its package, and nothing leaves the
    machine."""

    model = "wordllama-256"

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """In a thread of its own: a thousand texts take a tenth of a second."""
        return await asyncio.to_thread(self._embed, texts)

    def _embed(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, LOCAL_SIZE), dtype=np.float32)
        asked = [text[:TEXT_CHARS_MAX] or " " for text in texts]
        rows = np.empty((len(asked), LOCAL_SIZE), dtype=np.float32)
        for batch in _batches(asked):
            rows[batch] = _wordllama().embed([asked[at] for at in batch], norm=False, batch_size=len(batch))
        return normed(rows)


@dataclass(frozen=True, slots=True)
class EndpointEmbedder(EndpointModel):
    """A model that makes vectors."""

    KIND: ClassVar = "embedding"
    TIMEOUT_S: ClassVar = 10.0
    ANSWER_BYTES_MAX: ClassVar = 64 * 1024 * 1024

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """In calls of TEXTS_PER_CALL. Raises Unavailable where one is not answered in TIMEOUT_S."""
        rows: list[Vectors] = []
        async with self.client() as client:
            for start in range(0, len(texts), TEXTS_PER_CALL):
                asked = [text[:TEXT_CHARS_MAX] or " " for text in texts[start : start + TEXTS_PER_CALL]]
                rows.append(await self._asked(client, asked))
        try:
            return np.concatenate(rows) if rows else np.zeros((0, 0), dtype=np.float32)
        except ValueError:
            raise Unavailable("The embedding model answers vectors of different sizes.") from None

    async def _asked(self, client: httpx.AsyncClient, texts: list[str]) -> Vectors:
        body = {"model": self.model, "input": texts, "encoding_format": "float"}
        with self.readable():
            answer = await self.posted(client, "embeddings", body)
            data: list[Any] = sorted(answer["data"], key=lambda one: one["index"])
            rows = np.array([one["embedding"] for one in data], dtype=np.float32)
        if rows.ndim != 2 or len(rows) != len(texts) or not np.isfinite(rows).all():
            raise Unavailable("The embedding model did not answer one vector for each text.")
        return normed(rows)


def normed(rows: Vectors) -> Vectors:
    """Rows of length 1; what has no direction becomes zeros."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.where(lengths > LEAST_LENGTH, rows / np.maximum(lengths, LEAST_LENGTH), 0.0).astype(np.float32)


def _batches(texts: Sequence[str]) -> Iterator[list[int]]:
    """The places of texts, those of like length together, as each takes the memory of the longest."""
    sizes = [len(text.encode()) for text in texts]
    batch: list[int] = []
    for at in sorted(range(len(texts)), key=sizes.__getitem__):
        if batch and (len(batch) + 1) * sizes[at] > BATCH_BYTES_MAX:
            yield batch
            batch = []
        batch.append(at)
    if batch:
        yield batch


@cache
def _wordllama() -> Any:
    """The model, loaded when it is first needed: a tenth of a second."""
    import wordllama  # type: ignore[import-untyped]

    return wordllama.WordLlama.load(
        cache_dir=Path(wordllama.__file__).parent, dim=LOCAL_SIZE, disable_download=True
    )
