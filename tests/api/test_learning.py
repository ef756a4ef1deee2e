"""Answers are judged, people look at the doubtful ones, and what they approve is known from then on."""

from __future__ import annotations

import asyncio
from typing import Any

from agent_platform import (
    OPENING,
    Json,
    Platform,
    agent,
    asked,
    human,
    opened,
    problem,
    ran,
    replied,
    section,
)

from service.policies.threshold import DECISIONS_MIN

QUESTION = "How many bags may I take on flight HAT268?"
ANSWER = "One bag of 23 kg."
ANNE: Json = {"reviewer": "anne"}


async def answer(
    platform: Platform, text: str = ANSWER, question: str = QUESTION, number: int = 1, **more: Any
) -> str:
    """A question, a context, a run and its answer; the answer's id."""
    opening = OPENING if number == 1 else ()
    await platform.recorded(*opening, asked(f"q{number}", question))
    made = await platform.assembled(provider="local", **more)
    run = ran(f"r{number}", assembly_id=made["assembly_id"])
    await platform.recorded(run, replied(f"a{number}", text, run_id=f"r{number}"))
    return f"a{number}"


async def judge(platform: Platform, message_id: str, **known: Any) -> Json:
    response = await platform.send("POST", f"/v1/answers/{message_id}/confidence", known)
    assert response.status_code == 200, response.text
    return response.json()


async def decide(platform: Platform, candidate_id: str, action: str, version: int, **more: Any) -> Any:
    body = {**ANNE, "expected_version": version, **more}
    return await platform.send("POST", f"/v1/learning-candidates/{candidate_id}/{action}", body)


async def decided(platform: Platform, candidate_id: str, action: str, version: int, **more: Any) -> Json:
    response = await decide(platform, candidate_id, action, version, **more)
    assert response.status_code == 200, response.text
    return response.json()


async def read(platform: Platform, path: str) -> Json:
    response = await platform.send("GET", f"/v1/{path}")
    assert response.status_code == 200, response.text
    return response.json()


async def test_an_answer_is_judged_by_itself_when_its_run_is_complete(platform: Platform) -> None:
    message_id = await answer(platform)
    judged = await read(platform, f"answers/{message_id}/confidence")
    parts = {part["factor"]: part for part in judged["parts"]}
    assert parts["policy"] == {
        "factor": "policy",
        "value": 1.0,
        "weight": 0.5,
        "source": "assembly",
        "explanation": "1 of 1 wanted items might go to the model; rules barred the others.",
    }
    assert (parts["completeness"]["value"], parts["completeness"]["source"]) == (0.0, "assembly")
    assert parts["retrieval"]["value"] is None and parts["retrieval"]["source"] == "missing"
    assert judged["composite"] == 0.5 and judged["below_threshold"]
    assert judged["failure_class"] == "incomplete_context"


async def test_the_candidate_shows_question_answer_parts_class_and_why(platform: Platform) -> None:
    message_id = await answer(platform)
    judged = await judge(platform, message_id, retrieval=0.1)
    candidate = await read(platform, f"learning-candidates/{judged['candidate_id']}")
    assert (candidate["question"]["text"], candidate["answer"]["text"]) == (QUESTION, ANSWER)
    assert (candidate["state"], candidate["version"]) == ("open", 0)
    assert candidate["confidence"]["composite"] == judged["composite"]
    assert "below 0.60" in candidate["confidence"]["why"]
    listed = await read(platform, "learning-candidates?state=open")
    assert [one["candidate_id"] for one in listed["candidates"]] == [judged["candidate_id"]]


async def test_an_approved_answer_is_a_document_and_says_where_it_comes_from(platform: Platform) -> None:
    message_id = await answer(platform)
    found = (await judge(platform, message_id, retrieval=0.1))["candidate_id"]
    edited = "One bag of 23 kg and one of 8 kg."
    approved = await decided(platform, found, "approve", 0, answer=edited)
    assert (approved["state"], approved["version"]) == ("approved", 1)
    assert approved["decisions"][0]["edits"] == ["answer"]
    assert approved["document"] == {"document_id": found, "version": 1, "published": True}
    document = await read(platform, f"knowledge-documents/{found}")
    assert (document["title"], document["text"]) == (QUESTION, edited)
    assert document["candidate_id"] == found and sorted(document["message_ids"]) == ["a1", "q1"]
    assert document["privacy_class"] == "personal"


async def test_the_same_question_now_retrieves_what_was_approved(platform: Platform) -> None:
    """The whole loop: a doubtful answer, a candidate, an approval, and the document in the next context."""
    message_id = await answer(platform)
    candidate_id = (await judge(platform, message_id, retrieval=0.1))["candidate_id"]
    await decided(platform, candidate_id, "approve", 0)

    await platform.recorded(*(opened(), human(), agent()), asked("other", QUESTION), at="another-trip")
    context = await platform.assembled(at="another-trip", provider="local", budget_tokens=800)
    passages = section(context, "knowledge_passages")
    assert ANSWER in passages["text"] and not passages["authoritative"]
    assert [item["why"] for item in passages["items"]] == ["answers_question"]
    explained = await platform.explained(context["assembly_id"])
    shown = next(one for one in explained["sections"] if one["section"] == "knowledge_passages")
    assert (shown["items"][0]["document_id"], shown["items"][0]["version"]) == (candidate_id, 1)
    assert explained["factors"]["retrieval"] == 1.0
    again = await platform.send("POST", f"/v1/assemblies/{context['assembly_id']}/replay")
    assert again.json()["same"] and again.json()["reproducible"]


async def test_negative_feedback_makes_a_candidate_of_a_confident_answer(platform: Platform) -> None:
    message_id = await answer(platform)
    sure = await judge(platform, message_id, retrieval=1.0, policy=1.0, completeness=1.0, memory=1.0)
    assert (sure["composite"], sure["failure_class"]) == (1.0, None)
    judged = await judge(platform, message_id, feedback="negative")
    assert (judged["composite"], judged["failure_class"]) == (1.0, "negative_feedback")
    assert judged["candidate_id"] is not None


async def test_what_users_dislike_comes_to_a_reviewer_by_itself(platform: Platform) -> None:
    message_id = await answer(platform)
    await judge(platform, message_id, retrieval=1.0, policy=1.0, completeness=1.0, memory=1.0)
    rating = {"message_id": message_id, "user_id": "u-mia", "rating": "down"}
    assert (await platform.send("POST", "/v1/feedback", rating)).status_code == 200
    judged = await read(platform, f"answers/{message_id}/confidence")
    assert judged["failure_class"] == "negative_feedback" and judged["candidate_id"] is not None
    await platform.send("POST", "/v1/feedback", {**rating, "rating": "up"})
    assert (await read(platform, f"answers/{message_id}/confidence"))["feedback"] == "positive"


async def test_personal_data_in_what_was_said_is_not_published(platform: Platform) -> None:
    message_id = await answer(platform, "Write to jo.doe@example.org about it.", "How do I reach them?")
    candidate_id = (await judge(platform, message_id, retrieval=0.1))["candidate_id"]
    await decided(
        platform, candidate_id, "approve", 0, question="How do I reach the desk at desk@example.org?"
    )
    document = await read(platform, f"knowledge-documents/{candidate_id}")
    assert document["text"] == "Write to [email] about it."
    assert "desk@example.org" in document["title"], "a reviewer's words stay as they are"


async def test_a_day_of_the_past_told_as_still_to_come_makes_a_candidate(platform: Platform) -> None:
    message_id = await answer(platform, "The fair will take place on 3 March 2020.", "When is the fair?")
    judged = await judge(platform, message_id, retrieval=1.0, completeness=1.0)
    assert judged["failure_class"] == "hallucination_signal" and "2020-03-03" in judged["why"]


async def test_a_tenant_that_switched_learning_off_has_no_candidates(platform: Platform) -> None:
    await platform.configured({"learning": {"enabled": False}})
    message_id = await answer(platform)
    problem(await platform.send("GET", f"/v1/answers/{message_id}/confidence"), 404, "not_found")
    judged = await judge(platform, message_id, retrieval=0.0)
    assert judged["below_threshold"] and judged["candidate_id"] is None


async def test_a_message_of_a_person_is_no_answer(platform: Platform) -> None:
    await platform.recorded(*OPENING, asked("q1", QUESTION))
    refused = await platform.send("POST", "/v1/answers/q1/confidence", {"retrieval": 0.1})
    problem(refused, 404, "not_found")
    outside = await platform.send("POST", "/v1/answers/q1/confidence", {"retrieval": 1.1})
    assert problem(outside, 422, "invalid_request")["errors"][0]["location"] == "retrieval"


async def test_what_is_kept_for_auditors_goes_to_no_reviewer(platform: Platform) -> None:
    await platform.recorded(*OPENING, asked("q1", QUESTION), ran("r1"))
    await platform.recorded(replied("a1", ANSWER, run_id="r1", visibility="audit"))
    assert (await judge(platform, "a1", retrieval=0.0))["candidate_id"] is None


async def candidate(platform: Platform) -> str:
    """A doubtful answer's."""
    judged = await judge(platform, await answer(platform), retrieval=0.1)
    return str(judged["candidate_id"])


async def test_a_candidate_is_assigned_rejected_and_reopened_with_its_whole_history(
    platform: Platform,
) -> None:
    found = await candidate(platform)
    assigned = await decided(platform, found, "assign", 0, assignee="ben")
    assert (assigned["state"], assigned["assignee"]) == ("assigned", "ben")
    rejected = await decided(platform, found, "reject", 1, reason="The airline said otherwise.")
    assert rejected["state"] == "rejected" and rejected["document"] is None
    problem(await decide(platform, found, "approve", 2), 409, "conflict")
    reopened = await decided(platform, found, "reopen", 2, reason="It was right after all.")
    history = [(one["action"], one["reviewer"], one["version"]) for one in reopened["decisions"]]
    assert history == [("assign", "anne", 1), ("reject", "anne", 2), ("reopen", "anne", 3)]
    assert reopened["decisions"][1]["reason"] == "The airline said otherwise."
    listed = await read(platform, "learning-candidates?state=reopened&assignee=ben")
    assert [one["candidate_id"] for one in listed["candidates"]] == [found]
    assert (await read(platform, "learning-candidates?state=open"))["candidates"] == []


async def test_of_two_reviewers_one_decides_and_the_other_learns_it(platform: Platform) -> None:
    found = await candidate(platform)
    both = await asyncio.gather(
        decide(platform, found, "approve", 0),
        decide(platform, found, "reject", 0, reason="It is wrong."),
    )
    assert sorted(response.status_code for response in both) == [200, 409]
    late = next(response for response in both if response.status_code == 409)
    assert problem(late, 409, "version_moved")["version"] == 1


async def test_the_same_decision_again_is_answered_the_same_and_publishes_once(platform: Platform) -> None:
    found = await candidate(platform)
    first = await decided(platform, found, "approve", 0, answer="One bag.")
    assert await decided(platform, found, "approve", 0, answer="One bag.") == first
    problem(await decide(platform, found, "approve", 0, answer="Two bags."), 409, "version_moved")
    assert (await read(platform, f"knowledge-documents/{found}"))["newest_version"] == 1


async def test_a_reopened_candidate_takes_its_document_back_until_it_is_approved_again(
    platform: Platform,
) -> None:
    found = await candidate(platform)
    await decided(platform, found, "approve", 0)
    reopened = await decided(platform, found, "reopen", 1, reason="The rules have changed.")
    assert not reopened["document"]["published"]
    again = await decided(platform, found, "approve", 2, answer="Two bags of 23 kg.")
    assert again["document"] == {"document_id": found, "version": 2, "published": True}
    assert (await read(platform, f"knowledge-documents/{found}?version=1"))["text"] == ANSWER


async def test_a_reviewer_may_make_it_stricter_than_its_messages_and_never_milder(platform: Platform) -> None:
    found = await candidate(platform)
    await decided(platform, found, "approve", 0, privacy_class="public")
    assert (await read(platform, f"knowledge-documents/{found}"))["privacy_class"] == "personal"
    await decided(platform, found, "reopen", 1, reason="It names a person.")
    await decided(platform, found, "approve", 2, privacy_class="secret")
    assert (await read(platform, f"knowledge-documents/{found}"))["privacy_class"] == "secret"


async def test_nobody_sees_the_candidates_and_documents_of_another_tenant(
    platform: Platform, neighbour: Platform
) -> None:
    found = await candidate(platform)
    await decided(platform, found, "approve", 0)
    problem(await neighbour.send("GET", f"/v1/learning-candidates/{found}"), 404, "not_found")
    problem(await decide(neighbour, found, "reject", 1, reason="x"), 404, "not_found")
    problem(await neighbour.send("GET", f"/v1/knowledge-documents/{found}"), 404, "not_found")
    problem(await neighbour.send("GET", "/v1/answers/a1/confidence"), 404, "not_found")
    assert (await read(neighbour, "learning-candidates"))["candidates"] == []
    query = QUESTION.replace(" ", "%20").replace("?", "")
    assert (await read(neighbour, f"knowledge-documents?query={query}"))["documents"] == []


async def test_the_threshold_falls_when_reviewers_approve_all_they_see(platform: Platform) -> None:
    for number in range(1, DECISIONS_MIN + 1):
        judged = await judge(platform, await answer(platform, number=number), retrieval=0.1)
        assert judged["threshold"] == 0.6
        await decided(platform, judged["candidate_id"], "approve", 0)
    assert (await judge(platform, "a1"))["threshold"] == 0.58
    page = await read(platform, "learning-candidates?limit=6")
    rest = await read(platform, f"learning-candidates?limit=6&cursor={page['next_cursor']}")
    found = [one["message_id"] for one in (*page["candidates"], *rest["candidates"])]
    assert found == [f"a{number}" for number in range(DECISIONS_MIN, 0, -1)]
