"""Blobs are searched as they lie and opened."""

from __future__ import annotations

from collections.abc import AsyncIterator

from service.usecases.absence.needles import Needles
from service.usecases.absence.scan_blobs import scan_blobs


async def stored() -> AsyncIterator[tuple[str, bytes]]:
    yield "t/plain", b'{"text": "the plain canary"}'
    yield "t/sealed", b"yranac delaes eht"
    yield "t/noise", b"yranac dlo eht"


async def test_what_is_plain_or_can_be_opened_is_found_and_what_no_key_opens_is_noise() -> None:
    needles = Needles.of(texts=["the plain canary", "the sealed canary", "the old canary"])
    found = await scan_blobs(needles, stored(), lambda path, data: data[::-1] if path == "t/sealed" else None)
    assert [(hit.place, hit.needle) for hit in found.hits] == [("t/plain", 0), ("t/sealed", 1)]
    assert (found.searched["blobs"], found.unseen("blobs")) == (3, {2})
