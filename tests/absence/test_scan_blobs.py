"""Blobs are searched as they lie and opened."""

from __future__ import annotations

from collections.abc import AsyncIterator

from service.usecases.absence.needles import Needles
from service.usecases.absence.scan_blobs import scan_blobs


async def walked() -> AsyncIterator[tuple[str, bytes, bytes | None]]:
    yield "t/plain", b'{"text": "the plain canary"}', None
    yield "t/sealed", b"yranac delaes eht", b"the sealed canary"
    yield "t/noise", b"yranac dlo eht", None


async def test_what_is_plain_or_can_be_opened_is_found_and_what_no_key_opens_is_noise() -> None:
    needles = Needles.of(texts=["the plain canary", "the sealed canary", "the old canary"])
    found = await scan_blobs(needles, walked())
    assert [(hit.place, hit.needle) for hit in found.hits] == [("t/plain", 0), ("t/sealed", 1)]
    assert (found.searched["blobs"], found.unseen("blobs")) == (3, {2})
