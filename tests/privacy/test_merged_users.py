"""One person with several ids: said so by the office, meant by every request, erased under all of them."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
from agent_platform import agent, asked, human, opened
from lives import Canaries, live, texts_of
from officers import Office
from served import Rows

IDS = ("u-a", "u-b", "u-c")


async def known(office: Office, *user_ids: str) -> None:
    """Users, each with a conversation."""
    for one in user_ids:
        at = f"of-{one}"
        await office.platform.recorded(
            opened(user_id=one),
            human(one, user_id=one),
            agent(),
            asked(f"m-{one}", f"{one} speaks.", one),
            at=at,
        )


async def same(
    office: Office, user_id: str, other_id: str, method: str = "PUT", second: bool = False
) -> httpx.Response:
    who = office.second if second else office.first
    return await who.send(method, f"/v1/users/{user_id}/same-as/{other_id}")


async def merged(office: Office, user_id: str, other_id: str) -> dict[str, Any]:
    done = await same(office, user_id, other_id)
    assert done.status_code == 200, done.text
    told: dict[str, Any] = done.json()
    return told


async def user(office: Office, user_id: str) -> dict[str, Any]:
    found = await office.first.send("GET", f"/v1/users/{user_id}")
    assert found.status_code == 200, found.text
    told: dict[str, Any] = found.json()
    return told


async def others(office: Office, user_id: str) -> dict[str, bool]:
    """Who else is the same person, and whether that was said of the two themselves."""
    return {one["user_id"]: one["said"] is not None for one in (await user(office, user_id))["same_as"]}


async def hidden(office: Office, user_id: str) -> bool:
    """Whether what the user said is in no context."""
    seen = await office.platform.send(
        "POST",
        "/v1/assemble",
        {
            "conversation_id": f"of-{user_id}",
            "participant_id": "agent",
            "budget_tokens": 2000,
        },
    )
    assert seen.status_code in (201, 404), seen.text
    shows = f"{user_id} speaks." in seen.text
    assert shows is not (await user(office, user_id))["restricted"]
    return not shows


def answer(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


async def test_users_in_a_chain_and_in_a_circle_are_one_person(office: Office) -> None:
    await known(office, *IDS)
    await merged(office, "u-a", "u-b")
    told = await merged(office, "u-b", "u-c")
    assert {one["user_id"] for one in told["same_as"]} == {"u-a", "u-c"}
    assert all(one["said"]["recorded_by"] for one in told["same_as"])
    assert await others(office, "u-a") == {"u-b": True, "u-c": False}
    await merged(office, "u-c", "u-a")
    assert await others(office, "u-a") == {"u-b": True, "u-c": True}
    assert await merged(office, "u-a", "u-c") == await user(office, "u-a"), "said again, the other way round"
    assert (await same(office, "u-b", "u-a", "DELETE")).status_code == 200
    assert await others(office, "u-a") == {"u-b": False, "u-c": True}, "it follows from what was said of u-c"
    split = await same(office, "u-c", "u-b", "DELETE", second=True)
    assert (split.status_code, [one["user_id"] for one in split.json()["same_as"]]) == (200, ["u-a"])
    assert await others(office, "u-b") == {}
    assert (await user(office, "u-b"))["changed_by"] != (await user(office, "u-a"))["changed_by"]
    assert answer(await same(office, "u-c", "u-b", "DELETE")) == (404, "not_found")


async def test_who_is_unknown_foreign_erased_or_named_twice_is_not_merged(
    office: Office, stranger: Office
) -> None:
    await known(office, "u-a", "u-b", "u-gone")
    await known(stranger, "u-foreign")
    await office.erased("u-gone")
    for other in ("nobody", "u-foreign"):
        assert answer(await same(office, "u-a", other)) == (404, "not_found")
        assert answer(await same(office, other, "u-a")) == (404, "not_found")
    assert answer(await same(office, "u-a", "u-gone")) == (410, "erased")
    assert answer(await same(office, "u-gone", "u-a")) == (410, "erased")
    assert answer(await office.first.send("GET", "/v1/users/u-gone")) == (410, "erased")
    assert answer(await office.first.send("PUT", "/v1/users/u-gone", {"aliases": ["G"]})) == (410, "erased")
    assert answer(await office.first.send("GET", "/v1/users/nobody")) == (404, "not_found")
    assert answer(await office.first.send("PUT", "/v1/users/nobody", {"aliases": []})) == (404, "not_found")
    assert (await same(office, "u-a", "u-a")).status_code == 422
    assert await others(office, "u-a") == {}


async def test_erasing_one_erases_all_of_the_person_under_three_ids(office: Office, rows: Rows) -> None:
    lives = []
    for nth in IDS:
        new = Canaries()
        await live(office.platform, new, nth=nth)
        lives.append(new)
    ids = [next(one for one in new.all if "-user-" in one) for new in lives]
    await merged(office, ids[0], ids[1])
    await merged(office, ids[2], ids[1])
    canaries = [one for new in lives for one in new.all]
    before = await texts_of(rows, office.platform.tenant_id)
    assert len([one for one in canaries if one in before]) > len(canaries) * 0.9
    done = await office.erased(ids[2])
    assert (done["state"], done["stage"], len(done["subject_uids"])) == ("fulfilled", "done", 3), done
    after = await texts_of(rows, office.platform.tenant_id)
    assert [one for one in canaries if one in after] == []
    for one in ids:
        assert answer(await office.first.send("GET", f"/v1/users/{one}")) == (410, "erased")
        late = await office.platform.record(opened(user_id=one), human("new", user_id=one), at="new")
        assert answer(late) == (410, "erased")
    assert done["receipt"]["edges"]["SAME_AS"] == 2
    assert "Ben alone." in after


async def test_who_is_said_to_be_the_same_later_is_erased_after_a_new_preview(office: Office) -> None:
    await known(office, *IDS)
    await office.asked("erase", "u-a")
    old = await office.previewed("erase")
    await merged(office, "u-a", "u-b")
    back = await office.approved("erase", old["plan_digest"])
    assert (back["stage"], back["state"]) == ("received", "open"), "the plan was of one of the two"
    assert answer(await same(office, "u-a", "u-b", "DELETE")) == (409, "conflict"), "it is asked for both"
    new = await office.previewed("erase")
    assert len(new["subject_uids"]) == 2
    assert (await office.asked("erase", "u-b"))["uid"] == old["uid"], (
        "asked again in another name of the person"
    )
    assert (await office.approved("erase", new["plan_digest"]))["stage"] == "done"
    assert await others(office, "u-c") == {}
    for one in ("u-a", "u-b"):
        assert answer(await same(office, "u-c", one)) == (410, "erased")


async def test_who_is_merged_with_a_restricted_person_is_hidden_at_once(office: Office) -> None:
    await known(office, *IDS)
    await office.asked("hide", "u-a", kind="restriction")
    await merged(office, "u-b", "u-c")
    assert not await hidden(office, "u-c")
    await merged(office, "u-c", "u-a")
    assert [await hidden(office, one) for one in IDS] == [True, True, True]
    assert (await same(office, "u-b", "u-c", "DELETE")).status_code == 200
    assert [await hidden(office, one) for one in IDS] == [True, False, True], "nobody restricted u-b"
    await office.asked("hide-c", "u-c", kind="restriction")
    lifted = await office.first.send("POST", "/v1/privacy-requests/hide/lift")
    assert lifted.json()["state"] == "fulfilled"
    assert [await hidden(office, one) for one in IDS] == [True, False, True], "another restriction stands"
    assert (await office.first.send("POST", "/v1/privacy-requests/hide-c/lift")).status_code == 200
    assert [await hidden(office, one) for one in IDS] == [False, False, False]


async def test_a_merge_and_a_restriction_at_the_same_time_hide_both(office: Office) -> None:
    await known(office, "u-a", "u-b", "u-c")
    await merged(office, "u-a", "u-b")
    body = {"request_id": "hide", "request_kind": "restriction", "user_id": "u-a"}
    answers = await asyncio.gather(
        same(office, "u-b", "u-c"), office.second.send("POST", "/v1/privacy-requests", body)
    )
    assert [one.status_code for one in answers] == [200, 201]
    assert [await hidden(office, one) for one in IDS] == [True, True, True]


async def test_what_a_user_is_called_is_taken_out_of_what_others_said(office: Office, rows: Rows) -> None:
    await known(office, "u-a", "u-b")
    await office.platform.recorded(
        human("u-a", user_id="u-a"),
        asked("b2", "Mizzi and Mietze told me.", "u-b", subject_ids=["u-a", "u-b"]),
        at="of-u-b",
    )
    named = await office.first.send("PUT", "/v1/users/u-a", {"aliases": ["Mizzi", "Mietze", "Mizzi"]})
    assert (named.status_code, named.json()["aliases"]) == (200, ["Mietze", "Mizzi"])
    assert named.json()["changed_by"]
    assert (await user(office, "u-a"))["aliases"] == ["Mietze", "Mizzi"]
    assert (await office.erased("u-a"))["stage"] == "done"
    left = await texts_of(rows, office.platform.tenant_id)
    assert "Mizzi" not in left and "Mietze" not in left and "told me." in left


async def test_unknown_speakers_in_the_persons_conversations_are_listed_for_review(
    office: Office, rows: Rows
) -> None:
    await known(office, "u-a", "u-b")
    await office.platform.recorded(
        human("guest", user_id=None), asked("g1", "Who am I?", "guest"), at="of-u-a"
    )
    await office.platform.recorded(
        human("visitor", user_id=None), asked("g2", "And I?", "visitor"), at="of-u-b"
    )
    await merged(office, "u-a", "u-b")
    await office.asked("erase", "u-a")
    plan = (await office.previewed("erase"))["plan"]
    seats = await rows(
        "MATCH (p:Participant) WHERE p.tenant_id = $t AND p.participant_id IN $named RETURN p.uid AS uid",
        t=office.platform.tenant_id,
        named=["guest", "visitor"],
    )
    assert sorted(plan["unknown_speakers"]) == sorted(row["uid"] for row in seats)
