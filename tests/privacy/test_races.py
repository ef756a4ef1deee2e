"""Erasures beside everything else that goes on, and beside each other: defined answers, and nothing left."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from agent_platform import Json, agent, answered, asked, called, forked, human, opened, ran, replied
from lives import texts_of
from officers import Office
from served import Rows

from service.clock import SystemClock
from service.graph.driver import Graph
from service.log.kept_heads import KeptHeads
from service.log.ledger import EntryKind
from service.usecases.erasure.equip import equipped
from service.usecases.manage_signing_key import trusted_keys
from service.usecases.verify_log import VerifyLog

CANARY = "zqmia7f3c19d2e8"
OF_BEN = "zqben5a1d77c0b4"
LARGE = 20_000
ATTEMPTS_MAX = 5
FIRST, ROUNDS_MAX = 100, 60
"""Numbers of what each work records; then it waits for the end."""
LEFT = """
MATCH (n) WHERE n.tenant_id = $t AND n.branch_ref IN $refs AND NOT n:Branch AND NOT n:Event AND NOT n:TreeHead
RETURN labels(n)[0] AS label, count(*) AS n ORDER BY label
"""
REFS = "MATCH (b:Branch {tenant_id: $t, conversation_id: $c}) RETURN collect(b.branch_ref) AS refs"
NAMING = """
MATCH (n) WHERE n.tenant_id = $t AND $uid IN n.subject_uids AND NOT n:Event AND NOT n:PrivacyRequest
RETURN labels(n)[0] AS label
"""


async def talk(office: Office, at: str = "mia", tolerance: float = 1.0) -> None:
    """Mia alone with an agent, and Ben with her; the graph may move so far after an approval."""
    await office.platform.configured({"privacy": {"tolerance": tolerance}})
    await office.platform.recorded(opened(user_id="u-mia"), human("mia"), agent(), at=at)
    for number in range(4):
        await office.platform.recorded(*exchange(number, "mia", CANARY), at=at)
    await office.platform.recorded(opened(user_id="u-ben"), human("ben"), human("mia"), agent(), at="shared")
    for number in range(4, 7):
        await office.platform.recorded(*exchange(number, "mia", CANARY), at="shared")
        await office.platform.recorded(*exchange(number + 10, "ben", OF_BEN), at="shared")


def exchange(number: int, name: str, word: str) -> list[Json]:
    """A question, a call with a large result, and the answer."""
    about = {"subject_ids": [f"u-{name}"]}
    return [
        asked(f"q{number}", f"Question {number} of {word}?", name, **about),
        ran(f"r{number}", **about),
        called(f"c{number}", {"for": word}, **about),
        answered(f"c{number}", {"key": f"c{number}", "of": word, "more": "x" * LARGE}),
        replied(f"a{number}", f"Answer {number} to {word}.", run_id=f"r{number}", **about),
    ]


async def until_erased(*works: Callable[[int], Awaitable[int]], over: asyncio.Event) -> list[set[int]]:
    """Each work again and again, one more time after it is over; the statuses of each."""

    async def again(work: Callable[[int], Awaitable[int]]) -> set[int]:
        seen, number = set(), FIRST
        while not over.is_set() and number < FIRST + ROUNDS_MAX:
            seen.add(await work(number))
            number += 1
        await over.wait()
        seen.add(await work(number))
        return seen

    return list(await asyncio.gather(*map(again, works)))


async def test_what_goes_on_meanwhile_is_done_or_refused_and_leaves_nothing(
    office: Office, graph: Graph, rows: Rows
) -> None:
    platform, tenant = office.platform, office.platform.tenant_id
    await talk(office)
    [refs] = [row["refs"] for row in await rows(REFS, t=tenant, c="mia")]
    await office.asked("erase", "u-mia")
    [uid] = (await office.read("erase"))["subject_uids"]
    digest = (await office.previewed("erase"))["plan_digest"]
    over = asyncio.Event()

    async def recording(number: int) -> int:
        return (await platform.record(*exchange(number, "mia", CANARY), at="mia")).status_code

    async def beside(number: int) -> int:
        return (await platform.record(*exchange(number + 1000, "ben", OF_BEN), at="shared")).status_code

    async def assembling(number: int) -> int:
        return (await platform.assemble(4_000, at="mia")).status_code

    async def compacting(number: int) -> int:
        return (await platform.compact(f"z{number}", at="mia")).status_code

    async def compacting_both(number: int) -> int:
        return (await platform.compact(f"s{number}", at="shared")).status_code

    async def forking(number: int) -> int:
        return (await platform.record(forked(f"f{number}"), at="mia")).status_code

    async def erasing() -> Json:
        try:
            return await office.approved("erase", digest)
        finally:
            over.set()

    racing = until_erased(*(recording, beside, assembling, compacting, compacting_both, forking), over=over)
    (recorded, others, *_), done = await asyncio.gather(racing, erasing())
    for _ in range(ATTEMPTS_MAX):  # it had moved beyond what is tolerated
        if done["state"] == "fulfilled":
            break
        assert (done["state"], done["stage"]) == ("open", "received"), done
        done = await office.approved("erase", (await office.previewed("erase"))["plan_digest"])
    assert done["state"] == "fulfilled", done
    assert recorded <= {201, 410} and others == {201}
    assert (await platform.record(*exchange(999, "mia", CANARY), at="mia")).status_code == 410
    assert (await platform.assemble(4_000, at="mia")).status_code == 410
    text = await texts_of(rows, tenant)
    assert CANARY not in text and OF_BEN in text
    assert await rows(NAMING, t=tenant, uid=uid) == []
    assert await rows(LEFT, t=tenant, refs=refs) == []
    await no_blob_holds(office, CANARY)
    await log_is_sound(office, graph)


async def no_blob_holds(office: Office, word: str) -> None:
    """Every blob that is left can be opened, and says nothing of whom it should not."""
    async for path, _, plain in office.custody.blobs.walk(office.platform.tenant_id):
        assert plain is not None and word.encode() not in plain, path


async def log_is_sound(office: Office, graph: Graph) -> None:
    keys = trusted_keys(office.custody.keys_folder)
    kept = KeptHeads(office.custody.keys_folder / f"heads-{office.platform.tenant_id}")
    verdict = await VerifyLog(graph, keys, kept, office.custody.ledger)(office.platform.tenant_id)
    assert verdict.is_sound, verdict


async def test_two_people_of_one_conversation_are_erased_at_once_by_two_processes(
    office: Office, graph: Graph, rows: Rows
) -> None:
    tenant = office.platform.tenant_id
    await talk(office)
    both = {"subject_ids": ["u-mia", "u-ben"]}
    large = {"of": "u-mia and u-ben", "more": "y" * LARGE}
    await office.platform.recorded(
        called("both", {"for": "u-mia and u-ben"}, **both), answered("both", large, **both), at="shared"
    )
    requests = {"mia": "u-mia", "ben": "u-ben"}
    runners = [
        equipped(graph, office.custody, SystemClock(), office.privacy.requests.tools.secret) for _ in "ab"
    ]
    for one, user_id in requests.items():
        await office.asked(one, user_id)
    for _ in range(ATTEMPTS_MAX):
        states = {one: await office.read(one) for one in requests}
        left = [one for one in requests if states[one]["state"] != "fulfilled"]
        if not left:
            break
        for one in left:
            if states[one]["stage"] == "received":
                digest = (await office.previewed(one))["plan_digest"]
                await office.approved_and_left(one, digest)
        uids = [states[one]["uid"] for one in left]
        ran_on = zip(runners, (*uids, *reversed(uids)), strict=False)
        await asyncio.gather(
            *(runner.carrying_out.erase(tenant, uid) for runner, uid in ran_on), return_exceptions=True
        )
    assert not left
    text = await texts_of(rows, tenant)
    assert CANARY not in text and OF_BEN not in text and "u-mia" not in text and "u-ben" not in text
    assert [one async for one in office.custody.blobs.walk(tenant)] == []
    for one in requests:
        entries = office.custody.ledger.read(trusted_keys(office.custody.keys_folder))
        kinds = [entry.kind for entry in entries if entry.request_uid == states[one]["uid"]]
        assert kinds == [EntryKind.BEGUN, EntryKind.ENDED]
    await log_is_sound(office, graph)


async def test_the_same_person_is_erased_twice_and_the_second_finds_nothing(
    office: Office, rows: Rows
) -> None:
    await talk(office, tolerance=0.0)
    for one in ("first", "second"):
        await office.asked(one, "u-mia")
    plans = {one: (await office.previewed(one))["plan_digest"] for one in ("first", "second")}
    assert (await office.approved("first", plans["first"]))["state"] == "fulfilled"
    before = await texts_of(rows, office.platform.tenant_id)
    moved = await office.approved("second", plans["second"])
    assert (moved["state"], moved["stage"], moved["plan"]) == ("open", "received", None)
    empty = await office.previewed("second")
    done = await office.approved("second", empty["plan_digest"])
    assert done["state"] == "fulfilled", done
    assert (done["receipt"]["nodes"], done["receipt"]["edges"]) == ({}, {})
    assert "Question 14" in before and "Question 14" in await texts_of(rows, office.platform.tenant_id)


async def test_what_was_taken_back_while_it_waited_is_not_carried_out(office: Office, rows: Rows) -> None:
    await talk(office)
    await office.asked("erase", "u-mia")
    plan = await office.previewed("erase")
    await office.approved_and_left("erase", plan["plan_digest"])
    taken = await office.first.send("POST", "/v1/privacy-requests/erase/cancel")
    assert taken.json()["state"] == "revoked"
    assert await office.privacy.carrying_out.erase(office.platform.tenant_id, plan["uid"])
    assert (await office.read("erase"))["state"] == "revoked"
    assert CANARY in await texts_of(rows, office.platform.tenant_id)
    late = await office.second.send(
        "POST", "/v1/privacy-requests/erase/approve", {"plan_digest": plan["plan_digest"]}
    )
    assert late.status_code == 409
