"""Finding a Java that an earlier process left behind, by its pid file and its verified identity."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

from service.embedded.problems import EmbeddedNeo4jError

POLL_S = 0.05
KILL_WAIT_S = 5.0


def find_running(pid_file: Path, identity: str) -> int | None:
    """Answer the pid in the file if that process lives and `identity` is one of its arguments, else None.

    Pids are reused: a process is only ever called ours when its command line names our home.
    """
    try:
        pid = int(pid_file.read_text(encoding="ascii"))
    except (FileNotFoundError, ValueError):
        return None
    return pid if _is_ours(pid, identity) else None


def stop_running(pid: int, identity: str, grace_s: float) -> None:
    """SIGTERM, wait for the end, SIGKILL after the grace; for processes that are not our children."""
    for number, wait_s in ((signal.SIGTERM, grace_s), (signal.SIGKILL, KILL_WAIT_S)):
        deadline = time.monotonic() + wait_s
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return
        while time.monotonic() < deadline:
            if not _is_ours(pid, identity):
                return
            time.sleep(POLL_S)
    raise EmbeddedNeo4jError(f"process {pid} did not end, not even by SIGKILL")


def _is_ours(pid: int, identity: str) -> bool:
    proc = Path("/proc")
    if (proc / "self").exists():
        try:
            # A zombie has an empty command line, so it counts as gone.
            return identity in (proc / str(pid) / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            return False
    listed = subprocess.run(
        ["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return identity in listed.stdout
