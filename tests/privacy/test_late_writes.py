"""What is sealed while its person is being erased: it is waited for, or destroyed again, and never left."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace

from agent_platform import Json, agent, answered, asked, called, human, opened, problem
from lives import LARGE, texts_of
from officers import Office
from served import Rows

from service.errors import ResidueFound
from service.graph.driver import Graph
from service.model.events import Batch
from service.storage.blobs import Blobs
from service.usecases.append_events import AppendEvents
from service.usecases.carry_out_requests import CarryOutRequests
from service.usecases.erasure.run import RunErasure
from service.usecases.erasure.vault import hold_scope
from service.usecases.export_person import ExportPerson

CANARY = "zqmia7f3c19d2e8"
READS_MAX = 100
"""Looks at a request that would have ended by then if nobody kept it waiting."""
HOLD = {"hold_id": "h1", "user_id": "u-mia", "basis": "Section 17", "expires_at": "2099-01-01T00:00:00Z"}


class HeldBlobs(Blobs):
    """A real store in which a put waits until it is let go."""

    def __init__(self, blobs: Blobs) -> None:
        super().__init__(blobs._store, blobs._keys)
        self.reached, self.let_go = asyncio.Event(), asyncio.Event()

    async def put(self, tenant_id: str, subject_uids: Iterable[str], sha256: str, data: bytes) -> None:
        self.reached.set()
        await self.let_go.wait()
        await super().put(tenant_id, subject_uids, sha256, data)


def large_call(number: int) -> list[Json]:
    about = {"subject_ids": ["u-mia"]}
    result = {"of": CANARY, "number": number, "more": "x" * LARGE}
    return [called(f"c{number}", {"for": CANARY}, **about), answered(f"c{number}", result)]


async def mia_alone(office: Office) -> str:
    """A conversation with a blob, and an approved erasure that nobody runs yet; answers its uid."""
    await office.platform.configured({"privacy": {"tolerance": 1.0}})
    await office.platform.recorded(opened(user_id="u-mia"), human("mia"), agent(), asked("m", CANARY, "mia"))
    await office.platform.recorded(*large_call(1))
    await office.asked("erase", "u-mia")
    plan = await office.previewed("erase")
    await office.approved_and_left("erase", plan["plan_digest"])
    return str(plan["uid"])


def runner(office: Office, *hooks: Callable[[], Awaitable[None]]) -> RunErasure:
    """Who erases; each hook runs once, where what lies outside the graph has just been destroyed."""
    run, left = office.privacy.carrying_out.erase, list(hooks)

    async def before_ending(tenant_id: str, people: Sequence[str]) -> None:
        await run.before_ending(tenant_id, people)
        if left:
            await left.pop(0)()

    return replace(run, before_ending=before_ending)


async def put_late(office: Office, people: list[str], text: str = CANARY) -> None:
    """A blob as a writer puts it who does not know that its people were erased."""
    data = text.encode()
    await office.custody.blobs.put(office.platform.tenant_id, people, hashlib.sha256(data).hexdigest(), data)


async def nothing_is_left(office: Office, rows: Rows) -> None:
    """Neither in the graph nor under any key nor without one."""
    tenant_id = office.platform.tenant_id
    assert CANARY not in await texts_of(rows, tenant_id)
    assert [path async for path, *_ in office.custody.blobs.walk(tenant_id)] == []
    assert office.custody.data_keys.scopes(tenant_id) == []


async def waited(office: Office, request_id: str, stages: Iterable[str]) -> bool:
    """Whether a request came to a stage while it was looked at."""
    for _ in range(READS_MAX):
        if (await office.read(request_id))["stage"] in stages:
            return True
    return False


async def test_an_erasure_waits_for_the_blob_of_a_write_that_is_under_way(office: Office, rows: Rows) -> None:
    uid = await mia_alone(office)
    held = HeldBlobs(office.custody.blobs)
    append: AppendEvents = replace(office.privacy.append_events, blobs=held)
    batch = Batch.model_validate({"conversation_id": "trip", "branch_id": "main", "events": large_call(2)})
    writing = asyncio.create_task(append(office.officer, batch, None))
    await held.reached.wait()
    erasing = asyncio.create_task(office.privacy.carrying_out.erase(office.platform.tenant_id, uid))

    assert not await waited(office, "erase", ["done"]), "it did not wait for the lock"

    held.let_go.set()
    assert (await writing).head > 0
    assert await erasing
    assert (await office.read("erase"))["state"] == "fulfilled"
    await nothing_is_left(office, rows)
    problem(await office.platform.record(*large_call(3)), 410, "erased")
    await nothing_is_left(office, rows)


async def test_a_key_made_anew_meanwhile_is_destroyed_with_its_blob(office: Office, rows: Rows) -> None:
    uid = await mia_alone(office)
    people = (await office.read("erase"))["subject_uids"]

    assert await runner(office, lambda: put_late(office, people))(office.platform.tenant_id, uid)

    done = await office.read("erase")
    assert (done["state"], done["receipt"]["stores"]["data_keys"]["number"]) == ("fulfilled", 1)
    await nothing_is_left(office, rows)


async def test_the_scan_sees_a_key_made_anew_whatever_it_sealed(office: Office, rows: Rows) -> None:
    uid = await mia_alone(office)
    people = (await office.read("erase"))["subject_uids"]
    twice = [lambda: put_late(office, people, "nothing that is searched for")] * 2

    try:
        await runner(office, *twice)(office.platform.tenant_id, uid)
        raise AssertionError("it ended")
    except ResidueFound as found:
        assert found.places == ["data_keys: a data key of an erased person"]

    assert (await office.read("erase"))["stage"] == "begun"
    assert await runner(office)(office.platform.tenant_id, uid)
    assert (await office.read("erase"))["state"] == "fulfilled"
    await nothing_is_left(office, rows)


async def test_blobs_whose_key_went_before_a_runner_died_go_too(office: Office, rows: Rows) -> None:
    uid = await mia_alone(office)
    people = (await office.read("erase"))["subject_uids"]

    async def died_between() -> None:
        await put_late(office, people)
        office.custody.data_keys.destroy(office.platform.tenant_id, people)

    assert await runner(office, died_between)(office.platform.tenant_id, uid)
    await nothing_is_left(office, rows)


async def test_a_hold_that_ends_while_its_events_are_sealed_leaves_nothing(
    office: Office, rows: Rows
) -> None:
    uid = await mia_alone(office)
    made = await office.first.send("POST", "/v1/legal-holds", HOLD)

    async def ended_and_sealed_late() -> None:
        assert (await office.first.send("POST", "/v1/legal-holds/h1/end")).status_code == 200
        await put_late(office, [hold_scope(made.json()["uid"])])

    assert await runner(office, ended_and_sealed_late)(office.platform.tenant_id, uid)
    await nothing_is_left(office, rows)


async def test_an_export_that_is_written_while_its_person_is_erased_is_destroyed(
    office: Office, graph: Graph, rows: Rows
) -> None:
    uid = await mia_alone(office)
    tenant_id = office.platform.tenant_id
    await office.asked("access", "u-mia", kind="access")
    await office.approved_and_left("access", None)
    held = HeldBlobs(office.custody.blobs)
    exports = ExportPerson(replace(office.privacy.exports.tools, blobs=held))
    runs = office.privacy.carrying_out
    carrying_out = CarryOutRequests(graph, runs.erase, runs.rectify, exports, tenant_ids={tenant_id})
    erase = replace(carrying_out.erase)
    exporting = asyncio.create_task(carrying_out._export(tenant_id, (await office.read("access"))["uid"]))
    await held.reached.wait()

    assert await erase(tenant_id, uid)
    assert (await office.read("erase"))["state"] == "fulfilled"
    held.let_go.set()
    assert await exporting

    access = await office.read("access")
    assert (access["state"], access["stage"]) == ("expired", "done")
    problem(await office.first.send("GET", "/v1/privacy-requests/access/export"), 410, "erased")
    await nothing_is_left(office, rows)
