"""Have the database forget what it has on disk of deleted records, as far as it does that while it runs.

Neo4j Community writes a checkpoint by the clock only, and then prunes the transaction log but for the file in
use. So random text of no meaning is written past the end of that file, and the next checkpoint waited for.
"""

from __future__ import annotations

import asyncio
import secrets
from functools import partial
from pathlib import Path
from typing import Final

from service.graph.driver import Graph
from service.graph.job_leases import delete_filler, fill_log
from service.model.privacy import Window

FILLER: Final = "checkpoint_store"
FILLER_BYTES: Final = 16 * 1024
WRITES_MAX: Final = 1_000
"""Some 16 MB: more than a file of the transaction log takes by our configuration."""
WRITES_PER_LOOK: Final = 10
PRUNED_WITHIN_S: Final = 60.0
POLL_S: Final = 0.25
LOG_FILES: Final = "neostore.transaction.db.*"


async def checkpoint_store(graph: Graph, logs: Path | None) -> tuple[Window, ...]:
    """Prune what the transaction log holds until now; answers the windows that remain.

    `logs` is the folder of the database's transaction log, None where this process has no access to it: then
    nothing is done. It takes some 20 seconds, PRUNED_WITHIN_S at most. Raises Unavailable.
    """
    if logs is None:
        return (Window.STORE_FILES, Window.INDEX_FILES, Window.TRANSACTION_LOG, Window.NO_FILE_ACCESS)
    until = _newest(logs)
    for count in range(WRITES_MAX):
        if count % WRITES_PER_LOOK == 0 and _newest(logs) > until:
            break
        await graph.write(partial(fill_log.none, name=FILLER, report=secrets.token_hex(FILLER_BYTES)))
    await graph.write(partial(delete_filler.none, name=FILLER))
    pruned = await _pruned(logs, until)
    return (Window.STORE_FILES, Window.INDEX_FILES, *(() if pruned else (Window.TRANSACTION_LOG,)))


async def _pruned(logs: Path, until: int) -> bool:
    """Whether every file up to a number goes away in time."""
    for _ in range(int(PRUNED_WITHIN_S / POLL_S)):
        if min(_numbers(logs), default=0) > until:
            return True
        await asyncio.sleep(POLL_S)
    return False


def _newest(logs: Path) -> int:
    return max(_numbers(logs), default=0)


def _numbers(logs: Path) -> list[int]:
    return [int(path.name.rpartition(".")[2]) for path in logs.glob(LOG_FILES)]
