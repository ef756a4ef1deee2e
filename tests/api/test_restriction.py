"""Who is restricted is kept and shown to nobody: in every answer of the API, at once, and back when it is
lifted."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from agent_platform import (
    Json,
    Platform,
    agent,
    answered,
    asked,
    called,
    claimed,
    forked,
    human,
    opened,
    problem,
    ran,
    remembered,
    replied,
    shown,
)
from restricting import restricted, restricted_no_more
from served import Rows

from service.api.services import Services

CANARY = "zirkonvogel"
"""Stands in every text of Mia's, and in none of Tom's."""
MIA = {"subject_ids": ["u-mia"]}
TOM = {"subject_ids": ["u-tom"]}
GROUP, MIAS, TOMS = "group", "mias", "toms"
QUERY = {"conversation_id": GROUP, "participant_id": "agent"}
SEAT = {"conversation_id": GROUP, "branch_id": "main", "participant_id": "agent"}
ASK = "Which seat does Tom have?"
Answers = dict[str, tuple[int, Any]]
UID = "MATCH (u:User {tenant_id: $t, user_id: $id}) RETURN u.uid AS uid"
LARGE = "x" * 20_000
NEVER_THE_SAME = (
    "consistency_token",
    "since",
    "until",
    "assembly_id",
    "created_at",
    "fence",
    "candidate_count",
    "weight",
)


@pytest.fixture
def use(http: httpx.AsyncClient) -> Services:
    """The use cases of the service that the tests ask."""
    services: Services = http._transport.app.state.services  # type: ignore[attr-defined]
    return services


@pytest.fixture
async def talked(platform: Platform, settled: Callable[[], Awaitable[None]]) -> Platform:
    """Mia and Tom in one conversation, each with everything that can be recorded, and each in one of their
    own."""
    mia = f"{CANARY} has seat 12A"
    await platform.recorded(
        {"kind": "conversation"},
        human("mia", display_name=f"Mia {CANARY}"),
        human("tom", display_name="Tom"),
        agent(),
        asked("m1", mia),
        asked("m2", "I have seat 7C.", "tom"),
        ran("r1", **TOM),
        called("c1", {"of": mia}, **MIA),
        answered("c1", {"seat": mia, "more": LARGE}),
        called("c2", {"of": "tom"}, **TOM),
        answered("c2", {"seat": "7C"}),
        called("c3", {"open": mia}, **MIA),
        replied("m3", mia, **MIA),
        replied("m4", "Tom sits in 7C.", run_id="r1", **TOM),
        claimed("k1", {"call_id": "c1"}, text=mia, **MIA),
        claimed("k2", {"call_id": "c2"}, {"call_id": "c1"}, text="7C it is.", **TOM),
        remembered("u1", mia, user_id="u-mia"),
        remembered("u2", "7C", user_id="u-tom", by="tom"),
        {
            "kind": "pin",
            "pin_id": "p1",
            "pin_kind": "decision",
            "participant_id": "agent",
            "text": mia,
            **MIA,
        },
        {
            "kind": "pin",
            "pin_id": "p2",
            "pin_kind": "decision",
            "participant_id": "agent",
            "text": "7C",
            **TOM,
        },
        {"kind": "skill_state", "participant_id": "agent", "skills": [CANARY], **MIA},
        {"kind": "working_memory", "participant_id": "agent", "expected_version": 0, "block": "7C", **TOM},
        {"kind": "working_memory", "participant_id": "agent", "expected_version": 1, "block": mia, **MIA},
        {"kind": "checkpoint", "checkpoint_id": "s1", "participant_id": "agent", "run_id": "r1", **MIA},
        at=GROUP,
    )
    await platform.recorded(forked("aside", title="Aside", **TOM), at=GROUP)
    for place, name, words in ((MIAS, "mia", mia), (TOMS, "tom", "7C")):
        await platform.recorded(
            opened(user_id=f"u-{name}", title=f"About {words}"),
            human(name),
            agent(),
            asked(f"{name}-q", f"Where do I sit? {words}", name),
            ran(f"{name}-r"),
            replied(f"{name}-a", f"You sit: {words}", run_id=f"{name}-r"),
            at=place,
        )
    await put(platform, "knowledge-documents/d1", {"title": mia, "text": f"Seat: {mia}", **MIA})
    await put(platform, "knowledge-documents/d2", {"title": "Seats", "text": "Tom has seat 7C.", **TOM})
    await put(platform, "knowledge/bookings/b1", {"title": f"Flight of {CANARY}", "user_id": "u-mia"})
    await settled()
    return platform


async def put(platform: Platform, path: str, body: Json) -> Json:
    response = await platform.send("PUT", f"/v1/{path}", body)
    assert response.status_code == 200, response.text
    return dict(response.json())


async def uid_of(rows: Rows, platform: Platform, user_id: str) -> str:
    return str((await rows(UID, t=platform.tenant_id, id=user_id))[0]["uid"])


async def walk(platform: Platform, kept: Json) -> Answers:
    """The answers of every endpoint that shows what was recorded, by their paths; Tom's are named so."""
    found: Answers = {}

    async def read(path: str, **query: str) -> None:
        response = await platform.send("GET", f"/v1/{path}?{httpx.QueryParams(query)}")
        found[f"{path} {sorted(query.items())}"] = response.status_code, response.json()

    async def post(path: str, body: Json) -> None:
        response = await platform.send("POST", f"/v1/{path}", body)
        found[f"{path} {json.dumps(body)}"] = response.status_code, response.json()

    for uid in kept["events"]:
        await read(f"events/{uid}", branch_id="main", **QUERY)
    for branch in ("main", "aside"):
        for part in ("transcript", "working-memory", "pins"):
            await read(f"branches/{branch}/{part}", **QUERY)
    for place in (MIAS, TOMS):
        await read("branches/main/transcript", conversation_id=place)
        await post("assemble", {**SEAT, "conversation_id": place, "budget_tokens": 4000, "preview": True})
    await read("branches/main/compare/aside", **QUERY)
    await read("checkpoints/s1", **QUERY, branch_id="main")
    for claim in ("k1", "k2"):
        await read(f"claims/{claim}/evidence", branch_id="main", **QUERY)
    for user, memory in (("u-mia", "u1"), ("u-tom", "u2")):
        await read(f"users/{user}/memories")
        await read(f"users/{user}/memories", branch_id="main", **QUERY)
        await read(f"user-memories/{memory}", branch_id="main", **QUERY)
    for message in ("m1", "m3", "m4", "mia-a", "mia-q", "tom-a"):
        await read(f"messages/{message}/why")
        await read(f"messages/{message}/learned")
        await read(f"answers/{message}/confidence")
    await read("learning-candidates")
    await read("knowledge-documents")
    await read("knowledge-documents", query="seat")
    for document in ("d1", "d2"):
        await read(f"knowledge-documents/{document}")
    for artifact in ("c1", "c2", "c3"):
        await post(f"artifacts/{artifact}/rehydrate", {**SEAT, "byte_budget": 50_000})
    await post("assemble", {**SEAT, "budget_tokens": 8000, "preview": True})
    await post("assemble", {**SEAT, "branch_id": "aside", "budget_tokens": 8000, "preview": True})
    for assembly in kept["assemblies"]:
        await read(f"assemblies/{assembly}")
        await post(f"assemblies/{assembly}/replay", {})
        for item in ("m1", "u1", "c1"):
            await read(f"assemblies/{assembly}/why-not/{item}")
    for line in kept["lines"]:
        await read(f"summary-lines/{line}", branch_id="aside", **QUERY)
    await read("costs")
    return found


async def made(platform: Platform, rows: Rows) -> Json:
    """What the service has named: events, assemblies, summary lines."""
    assemblies = [
        (await platform.assembled(4000, at=GROUP))["assembly_id"],
        (await platform.assembled(4000, at=TOMS))["assembly_id"],
        (await platform.assembled(4000, at=MIAS))["assembly_id"],
    ]
    await platform.compacted("z1", "aside", at=GROUP)
    query = "MATCH (e:Event {tenant_id: $t}) RETURN e.uid AS uid ORDER BY e.branch_ref, e.seq"
    events = [row["uid"] for row in await rows(query, t=platform.tenant_id)]
    lines = await rows("MATCH (l:SummaryLine {tenant_id: $t}) RETURN l.uid AS uid", t=platform.tenant_id)
    return {"assemblies": assemblies, "events": events, "lines": [row["uid"] for row in lines]}


def telling(answers: Answers) -> set[str]:
    return {path for path, (_, told) in answers.items() if CANARY in json.dumps(told)}


def lasting(told: Any) -> Any:
    """An answer without what is another one each time."""
    if isinstance(told, dict):
        return {name: lasting(value) for name, value in told.items() if name not in NEVER_THE_SAME}
    return [lasting(one) for one in told] if isinstance(told, list | tuple) else told


async def test_a_restricted_person_is_in_no_answer_and_comes_back(
    talked: Platform, rows: Rows, use: Services
) -> None:
    kept = await made(talked, rows)
    before = await walk(talked, kept)
    assert len(telling(before)) > 25, "the walk sees what is to be hidden"
    mia = await uid_of(rows, talked, "u-mia")
    await restricted(use, talked.tenant_id, [mia])
    during = await walk(talked, kept)
    assert telling(during) == set()
    untouched = {path for path in before if "tom" in path or "/d2" in path or TOMS in path or "k2" in path}
    assert len(untouched) > 8
    for path in {one for one in untouched if "k2" not in one and not one.startswith("assemble ")}:
        assert lasting(during[path]) == lasting(before[path]), path
    await restricted_no_more(use, talked.tenant_id, [mia])
    after = await walk(talked, kept)
    assert telling(after) == telling(before)
    fenced = {path for path in before if path.startswith("assemble ") or "/replay" in path}
    for path in before.keys() - fenced:
        assert lasting(after[path]) == lasting(before[path]), path


async def test_what_others_said_stays_in_the_same_context(
    talked: Platform, rows: Rows, use: Services
) -> None:
    whole = shown(await talked.assembled(8000, at=GROUP))
    assert CANARY in whole and "I have seat 7C." in whole
    await restricted(use, talked.tenant_id, [await uid_of(rows, talked, "u-mia")])
    context = shown(await talked.assembled(8000, at=GROUP))
    assert CANARY not in context and "I have seat 7C." in context and "Tom sits in 7C." in context


async def test_a_hidden_item_answers_like_a_missing_one(talked: Platform, rows: Rows, use: Services) -> None:
    await restricted(use, talked.tenant_id, [await uid_of(rows, talked, "u-mia")])
    for path, query in (
        ("user-memories/{}", {}),
        ("users/{}/memories", {}),
        ("knowledge-documents/{}", {}),
        ("messages/{}/learned", {}),
        ("claims/{}/evidence", {**QUERY, "branch_id": "main"}),
    ):
        name = {"us": "u-mia", "us-": "u1", "kn": "d1", "me": "m1", "cl": "k1"}
        hidden = name["us-"] if path.startswith("user-") else name[path[:2]]
        answers = [
            await talked.send("GET", f"/v1/{path.format(one)}?{httpx.QueryParams(query)}")
            for one in (hidden, "nothing")
        ]
        assert answers[0].status_code == 404 and answers[0].json() == answers[1].json(), path


async def test_what_is_said_of_a_restricted_person_is_kept(
    talked: Platform, rows: Rows, use: Services
) -> None:
    mia = await uid_of(rows, talked, "u-mia")
    await restricted(use, talked.tenant_id, [mia])
    note = {"kind": "working_memory", "participant_id": "agent", "expected_version": 2, "block": "n", **MIA}
    await talked.recorded(asked("m9", f"{CANARY} again"), note, at=GROUP)
    document = {"title": "T", "text": CANARY, **MIA}
    assert (await put(talked, "knowledge-documents/d1", document))["version"] == 2
    assert CANARY not in shown(await talked.assembled(8000, at=GROUP))
    problem(await talked.assemble(at=MIAS), 404, "not_found")
    await restricted_no_more(use, talked.tenant_id, [mia])
    assert f"{CANARY} again" in shown(await talked.assembled(8000, at=GROUP))


async def test_who_is_restricted_twice_is_shown_again_by_one_lift_and_others_stay_hidden(
    talked: Platform, rows: Rows, use: Services
) -> None:
    mia, tom = await uid_of(rows, talked, "u-mia"), await uid_of(rows, talked, "u-tom")
    await restricted(use, talked.tenant_id, [mia])
    await restricted(use, talked.tenant_id, [mia, tom])
    await restricted_no_more(use, talked.tenant_id, [mia])
    context = shown(await talked.assembled(8000, at=GROUP))
    assert CANARY in context and "I have seat 7C." not in context
    await restricted_no_more(use, talked.tenant_id, [tom])
    found = await rows(
        "MATCH (t:Tenant {tenant_id: $t}) RETURN t.hidden_uids AS hidden, t.erasure_count AS n",
        t=talked.tenant_id,
    )
    assert found == [{"hidden": None, "n": 4}]
