"""A runner that is killed in the middle of an erasure: another one goes on, and there is one receipt.

RUNTIME_GRAPH_SLOW=1 kills at 100 places; the short lane at 15.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys

import pytest
from lives import Canaries, live, texts_of
from officers import Office
from served import Rows

from service.embedded import Database
from service.graph.driver import Graph, Transaction
from service.log.ledger import EntryKind
from service.model.caller import TENANT_SCOPES, Caller
from service.usecases.erasure.custody import Custody
from service.usecases.manage_signing_key import trusted_keys

KILLS = 100 if os.environ.get("RUNTIME_GRAPH_SLOW") == "1" else 15
LONGEST_S = 1.5
"""A whole run takes about as long: later kills find it ended, which is a place too."""
RUNNER = """
import asyncio, sys
from pathlib import Path
from service.clock import SystemClock
from service.graph.driver import Graph
from service.log.ledger import Ledger
from service.storage.blobs import Blobs
from service.storage.data_keys import DataKeys
from service.usecases.erasure.custody import Custody
from service.usecases.erasure.equip import equipped

async def main(uri, user, password, name, folder, mark, tenant_id, request_uid):
    keys = DataKeys(Path(folder) / "data-keys")
    blobs = Blobs.at((Path(folder) / "blobs").as_uri(), keys)
    ledger = Path(folder) / "ledger.jsonl"
    custody = Custody(blobs, keys, Ledger(ledger), Path(folder), None, {"ledger": ledger}, mark)
    async with Graph(uri, user, password, name) as graph:
        privacy = equipped(graph, custody, SystemClock(), b"s" * 32)
        print("ready", flush=True)
        await privacy.carrying_out.erase(tenant_id, request_uid)

asyncio.run(main(*sys.argv[1:]))
"""
FREE_LEASE = "MATCH (l:JobLease {name: 'privacy/' + $t}) DELETE l"


@pytest.mark.parametrize("seed", range(3))
async def test_an_erasure_that_is_killed_again_and_again_ends_once(
    office: Office, graph: Graph, rows: Rows, neo4j_server: Database, seed: int
) -> None:
    chance = random.Random(seed)
    new = Canaries()
    await office.platform.configured({"privacy": {"recipients": ["Analytics Ltd", "Print Ltd"]}})
    await live(office.platform, new)
    mia = next(one for one in new.all if "-user-" in one)
    await office.asked("erase", mia)
    plan = await office.previewed("erase")
    await approved_without_running(office, plan["plan_digest"])
    uid = plan["uid"]
    custody = office.custody
    ends: list[int] = []
    for _ in range(KILLS // 3):
        pause = chance.uniform(0, LONGEST_S)
        ends.append(await killed_after(pause, neo4j_server, custody, office.platform.tenant_id, uid))
        await free_lease(graph, office.platform.tenant_id)
    assert -signal.SIGKILL in ends, "none of them was killed before it had ended"
    await office.privacy.carrying_out.erase(office.platform.tenant_id, uid)
    done = await office.read("erase")
    assert (done["state"], done["stage"]) == ("fulfilled", "done"), done
    receipt = done["receipt"]
    assert receipt["nodes"] == plan["plan"]["counts"]["nodes"]
    assert (receipt["redacted"], receipt["derived"]) == (plan["plan"]["redacted"], plan["plan"]["derived"])
    assert done["notices"] == {"open": 2, "sent": 0}, "each recipient is to be told once"
    text = await texts_of(rows, office.platform.tenant_id)
    assert [one for one in new.all if one in text] == []
    entries = [e for e in custody.ledger.read(trusted_keys(custody.keys_folder)) if e.request_uid == uid]
    assert [entry.kind for entry in entries] == [EntryKind.BEGUN, EntryKind.ENDED]


async def approved_without_running(office: Office, plan_digest: str) -> None:
    """Approved as the API does it, but for starting the run."""
    caller = Caller(office.platform.tenant_id, "the second officer", frozenset(TENANT_SCOPES))
    await office.privacy.requests.approve(caller, "erase", plan_digest)


async def killed_after(seconds: float, server: Database, custody: Custody, tenant_id: str, uid: str) -> int:
    """Run it in a process of its own, and kill that by SIGKILL so long after it began; answers how it
    ended."""
    outside = [str(custody.keys_folder), custody.mark_name]
    arguments = [server.uri, server.user, server.password, server.name, *outside, tenant_id, uid]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", RUNNER, *arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    await process.stdout.readline()
    try:
        async with asyncio.timeout(seconds):
            await process.wait()
    except TimeoutError:
        process.send_signal(signal.SIGKILL)
    return await process.wait()


async def free_lease(graph: Graph, tenant_id: str) -> None:
    """What the lease of a dead runner becomes by itself, two minutes later."""

    async def work(tx: Transaction) -> None:
        await (await tx.run(FREE_LEASE, t=tenant_id)).consume()

    await graph.write(work)
