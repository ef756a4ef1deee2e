"""A line to Neo4j that can be cut: between a commit and its answer, or for good after so many messages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

COMMIT = b"\x00\x02\xb0\x12\x00\x00"
"""The chunk of a Bolt message COMMIT without fields."""
CHUNK_BYTES = 65536


class BoltCutter:
    """Forwards between one local port and the database. Cuts when a COMMIT passes and `armed` is set, after
    `spared` others."""

    def __init__(self, uri: str) -> None:
        to = urlsplit(uri)
        self._to = (to.hostname or "127.0.0.1", to.port or 7687)
        self.armed = False
        self.swallow = False
        """Whether the COMMIT itself is lost (nothing is written) or only its answer."""
        self.spared = 0
        self.cuts = 0
        self.messages_left: int | None = None
        """How often the client may still send something; then the line is dead. None: for ever."""
        self.uri = ""

    async def forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, until either side ends it or it is cut."""
        to_reader, to_writer = await asyncio.open_connection(*self._to)
        back = asyncio.create_task(self._copy(to_reader, writer))
        with suppress(ConnectionError):
            while data := await reader.read(CHUNK_BYTES):
                if self._is_dead():
                    break
                commits = self.armed and COMMIT in data
                cut = commits and self.spared == 0
                self.spared -= commits and not cut
                if cut:
                    self.cuts += 1
                    back.cancel()
                    with suppress(asyncio.CancelledError):
                        await back
                if not (cut and self.swallow):
                    to_writer.write(data)
                    await to_writer.drain()
                if cut and not self.swallow:
                    await to_reader.read(1)  # The database answers, so it has committed.
                if cut:
                    break
        back.cancel()
        for end in (to_writer, writer):
            end.close()
            with suppress(ConnectionError):
                await end.wait_closed()

    def _is_dead(self) -> bool:
        if self.messages_left is None:
            return False
        self.messages_left -= 1
        return self.messages_left < 0

    @staticmethod
    async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(CHUNK_BYTES):
                writer.write(data)
                await writer.drain()
            writer.close()


@asynccontextmanager
async def bolt_cutter(uri: str) -> AsyncIterator[BoltCutter]:
    """A cutter listening on a free port; its `uri` is for the driver."""
    cutter = BoltCutter(uri)
    server = await asyncio.start_server(cutter.forward, "127.0.0.1", 0)
    async with server:
        cutter.uri = f"bolt://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield cutter
