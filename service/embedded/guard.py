"""The process between us and Java: it stops Java when our end of its standard input closes.

The kernel closes that pipe however we die, so a `kill -9` of the service never leaves a database behind.
A session of its own keeps the terminal's Ctrl-C away from Java until we ask for the stop.
Run as a script, by its path, so that it needs only the standard library:

    python -I guard.py PID_FILE GRACE_S COMMAND…     (exit code: that of the command)
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path


def main(pid_file: Path, grace_s: float, command: list[str]) -> int:
    """Run the command until it ends or standard input closes; then SIGTERM, and after the grace SIGKILL."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        # Only the closing of the pipe stops us. Not SIG_IGN: Java would inherit that and be deaf to SIGTERM.
        signal.signal(number, lambda *_: None)
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    part = pid_file.with_suffix(".part")
    part.write_text(str(child.pid), encoding="ascii")
    part.replace(pid_file)
    threading.Thread(target=_stop_at_end_of_input, args=(child, grace_s), daemon=True).start()
    code = child.wait()
    return code if code >= 0 else 128 - code


def _stop_at_end_of_input(child: subprocess.Popen[bytes], grace_s: float) -> None:
    while os.read(0, 4096):
        pass
    child.terminate()
    try:
        child.wait(grace_s)
    except subprocess.TimeoutExpired:
        child.kill()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]))
