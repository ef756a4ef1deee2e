"""Ports of loopback, chosen so that two of our servers that start at once never choose the same one."""

from __future__ import annotations

import fcntl
import os
import socket
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from service.embedded.problems import StartFailed

PORTS_TRIED_MAX: Final = 100


def reserve_port(held: ExitStack, given: int | None, preferred: int) -> int:
    """Answer a port that nothing listens on, kept from our other servers until `held` closes.

    That is `given` or none at all; without it `preferred`, or the next one above that is free. Java takes the
    port only seconds later, so until then a lock on a file that all servers of this person know reserves it.
    """
    folder = Path(tempfile.gettempdir()) / f"runtime-graph-ports-{os.getuid()}"
    folder.mkdir(exist_ok=True, mode=0o700)
    for port in range(preferred, preferred + PORTS_TRIED_MAX) if given is None else (given,):
        with ExitStack() as trying:
            file = trying.enter_context((folder / f"{port}.lock").open("a"))
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _refuse_if_listening(port)
            except OSError:
                continue
            held.push(trying.pop_all())
            return port
    raise StartFailed(f"port {given or preferred} is in use: stop what listens there, or choose another")


def _refuse_if_listening(port: int) -> None:
    with socket.socket() as probe:
        # Connections of the last server that are still closing do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", port))
