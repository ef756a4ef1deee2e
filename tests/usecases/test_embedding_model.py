"""An embedding model behind the port: what it is sent, what it never gets, and what it may answer.

The model is played by a server of our own on loopback, which the real client asks over HTTP.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import numpy as np
import pytest
from model_endpoint import Json, PlayedModel, served

from service.errors import Unavailable
from service.language.embedding import TEXTS_PER_CALL, EndpointEmbedder, LocalEmbedder
from service.model.vocabulary import PrivacyClass
from service.usecases.recall.vectors import Vectors


class Model(PlayedModel):
    """How the endpoint answers: each text by its length and its first letter, unless it is told what to."""

    told: Json | None = None

    def answer(self, body: Json) -> Json:
        """The vectors, last text first: the order is in `index`."""
        vectors = [[float(len(text)), float(ord(text[0])), 1.0] for text in body["input"]]
        data = [{"index": at, "embedding": vector} for at, vector in enumerate(vectors)]
        return {"data": data[::-1]} if self.told is None else self.told

    def texts(self) -> list[str]:
        """All that was sent."""
        return [text for body in self.asked for text in body["input"]]


@pytest.fixture
def model() -> Iterator[tuple[Model, EndpointEmbedder]]:
    """An endpoint on loopback, and the client of it."""
    played = Model()
    with served(played) as url:
        yield played, EndpointEmbedder(url, "house-embed", "k-secret")


async def test_many_texts_go_in_several_calls_and_come_back_in_order(
    model: tuple[Model, EndpointEmbedder],
) -> None:
    played, embedder = model
    rows = await embedder.embed([*("a" * (1 + at) for at in range(TEXTS_PER_CALL)), "b"])
    assert len(played.asked) == 2
    assert played.asked[0]["path"] == "/v1/embeddings" and played.asked[0]["model"] == "house-embed"
    assert played.keys == ["Bearer k-secret"] * 2
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert (rows[:, 0] / rows[:, 2]).round().tolist() == [*range(1, TEXTS_PER_CALL + 1), 1]
    assert (await embedder.embed([])).shape[0] == 0


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"data": []},
        {"data": "no"},
        {"data": [{"index": 0, "embedding": [1.0, "x"]}]},
        {"data": [{"index": 0, "embedding": [1.0, float("nan")]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}]},
    ],
)
async def test_an_answer_that_is_no_vector_for_each_text_is_none(
    model: tuple[Model, EndpointEmbedder], answer: Json
) -> None:
    played, embedder = model
    played.told = answer
    with pytest.raises(Unavailable) as refused:
        await embedder.embed(["PRIVATE WORDS"])
    assert "PRIVATE" not in str(refused.value)


async def test_a_model_that_refuses_or_is_away_is_unavailable(model: tuple[Model, EndpointEmbedder]) -> None:
    played, embedder = model
    played.status = 500
    with pytest.raises(Unavailable):
        await embedder.embed(["a"])
    with pytest.raises(Unavailable):
        await EndpointEmbedder("http://127.0.0.1:9/v1", "nobody").embed(["a"])


async def test_texts_of_a_stricter_class_never_go_to_the_model(model: tuple[Model, EndpointEmbedder]) -> None:
    played, embedder = model
    vectors = Vectors(embedder, PrivacyClass.PERSONAL)
    texts = [(f"it is {of.value}", of) for of in PrivacyClass]
    rows = await vectors.of([*texts, (" ", PrivacyClass.PUBLIC)])
    assert rows.any(axis=1).tolist() == [True, True, True, False, False, False]
    sent = " ".join(played.texts())
    assert [of.value in sent for of in PrivacyClass] == [True, True, True, False, False]
    assert [vectors.may_embed(of) for of in PrivacyClass] == [True, True, True, False, False]


async def test_a_model_whose_vectors_change_their_size_is_unavailable(
    model: tuple[Model, EndpointEmbedder],
) -> None:
    played, embedder = model
    vectors = Vectors(embedder)
    await vectors.of([("one", PrivacyClass.PUBLIC)])
    played.told = {"data": [{"index": 0, "embedding": [1.0, 2.0]}]}
    with pytest.raises(Unavailable):
        await vectors.of([("one", PrivacyClass.PUBLIC)])
    played.told = None
    assert (await vectors.of([("one", PrivacyClass.PUBLIC)])).shape == (1, 3)


async def test_on_this_machine_like_is_near_to_like_and_no_words_to_nothing() -> None:
    rows = await LocalEmbedder().embed(["The dog is ill.", "My puppy got sick.", "Interest rates rose.", ""])
    near = rows @ rows[0]
    assert near[1] > near[2]
    assert np.isfinite(rows).all() and rows.shape == (4, 256)


async def test_one_long_text_among_many_takes_no_more_memory_than_it_needs() -> None:
    await LocalEmbedder().embed(["The model is loaded."])
    texts = ["😀" * 50_000, *(f"Number {at}." for at in range(200))]
    tracemalloc.start()
    try:
        rows = await LocalEmbedder().embed(texts)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 256 * 1024 * 1024
    alone = await LocalEmbedder().embed(texts[7:8])
    assert rows[7].tolist() == alone[0].tolist()
