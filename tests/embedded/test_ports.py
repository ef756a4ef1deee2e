"""Ports are given, or found; never twice to servers that start at the same time."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from service.embedded import StartFailed
from service.embedded.ports import reserve_port

PREFERRED = 27610  # Below what systems hand out by themselves, and nobody's known port.


@pytest.fixture
def held() -> Iterator[ExitStack]:
    with ExitStack() as held:
        yield held


def listener(port: int) -> socket.socket:
    return socket.create_server(("127.0.0.1", port))


def test_servers_that_start_at_once_get_different_ports_though_neither_listens_yet(held: ExitStack) -> None:
    first = reserve_port(held, None, PREFERRED)
    second = reserve_port(held, None, first)
    assert second > first


def test_a_port_is_free_again_when_its_server_is_gone(held: ExitStack) -> None:
    with ExitStack() as gone:
        port = reserve_port(gone, None, PREFERRED)
    assert reserve_port(held, port, PREFERRED) == port


def test_a_port_that_a_stranger_listens_on_is_passed_over_and_refused_when_it_was_asked_for(
    held: ExitStack,
) -> None:
    with ExitStack() as gone:
        port = reserve_port(gone, None, PREFERRED)
    with listener(port):
        assert reserve_port(held, None, port) > port
        with pytest.raises(StartFailed, match=f"port {port} is in use"):
            reserve_port(held, port, PREFERRED)
