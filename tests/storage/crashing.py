"""A process that is killed before the n-th thing it does to a file."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

STEPS_MAX = 500
TOUCHING = frozenset({"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "fcntl.flock"})
"""Audit events of what changes files, or leads to it; they come before the deed."""


def killed_at_every_step(stage: Callable[[], object], work: Callable[[], object]) -> Iterator[int]:
    """Do `work` in a child that is killed at its first step, then at its second, and so on to the end.

    The stage is set before each child; yields the step after each death, with what that left on the disk.
    Ends when a child came through.
    """
    for step in range(STEPS_MAX):
        stage()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                _die_at(step)
                work()
                status = 0
            finally:
                os._exit(status)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            assert os.WEXITSTATUS(status) == 0, "the work itself failed"
            return
        yield step
    raise AssertionError("the work has no end")


def _die_at(step: int) -> None:
    left = step

    def hook(event: str, _: tuple[Any, ...]) -> None:
        nonlocal left
        if event in TOUCHING:
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1

    sys.addaudithook(hook)
