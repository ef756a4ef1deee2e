"""What was made of a person's words goes with them, is made anew from the words of others, and does not come
back."""

from __future__ import annotations

from typing import Any

import pytest
from agent_platform import Json, agent, answered, asked, called, human, opened, problem, ran, replied
from officers import Office
from served import Rows

from service.clock import SystemClock
from service.graph.driver import Graph, Transaction
from service.usecases.configure_tenant import Configurations
from service.usecases.draw_insights import DrawInsights
from service.usecases.hide_people import cordon
from service.usecases.learn_answers import LearnAnswers

CANARY = "zqmia7f3c19d2e8"
OF_BEN = "zqben5a1d77c0b4"
QUESTION = "Which cabin is free on the Fjord Cruise?"
SETTINGS = {
    "knowledge": {"insights_min_nodes": 1, "insight_users_min": 2},
    "compaction": {"lines_max": 8},
}
HOLDING = """
MATCH (n) WHERE n.tenant_id = $t
WITH collect(n) AS found // else the words of every other tenant are read first
UNWIND found AS n
WITH n
WHERE any(key IN keys(n) WHERE toString(toStringOrNull(n[key])) CONTAINS $word
  OR any(one IN CASE WHEN n[key] IS :: LIST<STRING NOT NULL> THEN n[key] ELSE [] END
         WHERE one CONTAINS $word))
RETURN DISTINCT labels(n)[0] AS label ORDER BY label
"""
INSIGHTS = """
MATCH (i:Insight {tenant_id: $t}) WHERE i.valid_until > datetime() RETURN i.asker_count AS askers
"""
QUERIES = """
MATCH (q:Query {tenant_id: $t})
RETURN q.text AS text, size(q.subject_uids) AS people, COUNT { (q)-[:DERIVED_FROM]->() } AS times,
       COLLECT { MATCH (q)-[e:SEARCHED_FOR]->() RETURN e.initial_weight } AS weights
"""
LINES = """
MATCH (l:SummaryLine {tenant_id: $t}) RETURN l.text AS text, size(l.subject_uids) AS people
"""
UID = "MATCH (u:User {tenant_id: $t, user_id: $id}) RETURN u.uid AS uid"
REVIEWER = {"reviewer": "anne"}


async def holding(office: Office, rows: Rows, word: str) -> list[str]:
    """Labels of the nodes that hold a word."""
    return [row["label"] for row in await rows(HOLDING, t=office.platform.tenant_id, word=word)]


@pytest.fixture
async def cruise(office: Office) -> Office:
    """An office whose tenant has small thresholds and a product."""
    await office.platform.configured(SETTINGS)
    made = await office.platform.send("PUT", "/v1/knowledge/products/p1", {"title": "Fjord Cruise"})
    assert made.status_code == 200, made.text
    return office


async def learned(office: Office, graph: Graph) -> None:
    """Everything that learns, compacts nothing and draws, run again as the jobs do."""
    services = office.first.http._transport.app.state.services  # type: ignore[attr-defined]
    await services.learning.settled()
    configurations = Configurations(graph, SystemClock())
    await LearnAnswers(graph, configurations)(office.platform.tenant_id)
    await DrawInsights(graph, SystemClock(), configurations)(office.platform.tenant_id)


async def asks(office: Office, name: str, word: str) -> list[Json]:
    """One person's conversation: a tool is asked, and the same question as everybody's; its batch of talk."""
    await office.platform.recorded(opened(user_id=f"u-{name}"), human(name), agent(), at=name)
    talk = [
        called(f"{name}-c", {"for": word}),
        answered(f"{name}-c", {"key": f"{name}-c", "cabin": word}),
        asked(f"{name}-q", QUESTION, name),
        ran(f"{name}-r"),
        replied(f"{name}-a", f"Cabin {word} on the Fjord Cruise.", run_id=f"{name}-r"),
        asked(f"{name}-t", f"Thanks for {word}.", name),
    ]
    await office.platform.recorded(*talk, at=name, idempotency_key=f"{name}-key")
    return talk


async def approved(office: Office, message_id: str, user_id: str) -> None:
    """The answer is disliked, looked at, and published after all."""
    disliked = {"message_id": message_id, "user_id": user_id, "rating": "down"}
    assert (await office.platform.send("POST", "/v1/feedback", disliked)).status_code == 200
    listed = (await office.platform.send("GET", "/v1/learning-candidates")).json()["candidates"]
    one = next(row for row in listed if row["message_id"] == message_id)
    body = {**REVIEWER, "expected_version": one["version"]}
    path = f"/v1/learning-candidates/{one['candidate_id']}/approve"
    done = await office.platform.send("POST", path, body)
    assert done.status_code == 200, done.text


async def test_a_chain_from_a_tools_answer_to_a_document_goes_and_does_not_come_back(
    cruise: Office, graph: Graph, rows: Rows
) -> None:
    platform, tenant = cruise.platform, cruise.platform.tenant_id
    talk = await asks(cruise, "mia", CANARY)
    await asks(cruise, "ben", OF_BEN)
    await learned(cruise, graph)
    await approved(cruise, "mia-a", "u-mia")
    await platform.compacted("fold", at="mia")
    chain = {
        "ToolCall",
        "ToolArtifact",
        "ToolMemory",
        "SummaryLine",
        "Response",
        "KnowledgePassage",
        "Payload",
    }
    assert chain <= set(await holding(cruise, rows, CANARY))
    assert {"askers": 2} in await rows(INSIGHTS, t=tenant)

    done = await cruise.erased("u-mia")

    assert done["state"] == "fulfilled", done
    for _ in range(2):
        assert await holding(cruise, rows, CANARY) == []
        assert await rows(INSIGHTS, t=tenant) == [], "one asker is left, and two are needed"
        [query] = await rows(QUERIES, t=tenant)
        assert query == {"text": QUESTION, "people": 1, "times": 1, "weights": [1.0]}
        assert "ToolMemory" in await holding(cruise, rows, OF_BEN)
        await learned(cruise, graph)
        compacted = await platform.compact("again", at="mia")
        problem(compacted, 410, "erased")
        problem(await platform.record(talk[-1], at="mia"), 410, "erased")
        problem(await platform.record(*talk, at="mia", idempotency_key="mia-key"), 410, "erased")
        opening = (opened(user_id="u-mia"), human("mia"), agent(), *talk)
        problem(await platform.record(*opening, at="elsewhere"), 410, "erased")


async def two_people(office: Office) -> None:
    """Nobody's conversation in which an agent speaks and notes down of both, in turn."""
    await office.platform.recorded(opened(user_id=None), human("mia"), human("ben"), agent(), at="both")
    for number in range(16):
        name, word = (("mia", CANARY), ("ben", OF_BEN))[number % 2]
        about = {"subject_ids": [f"u-{name}"]}
        said = replied(f"s{number}", f"Note {number}: {word} is booked.", **about)
        notes: Json = {"kind": "working_memory", "participant_id": "agent", "expected_version": number}
        notes["fields"] = {f"{name}-{number % 3}": f"{word} number {number}"}
        await office.platform.recorded(said, {**notes, **about}, at="both")
    await office.platform.recorded(asked("last", "And now?", "ben", subject_ids=["u-ben"]), at="both")
    await office.platform.compacted("fold", at="both")


async def shown_to_ben(office: Office) -> str:
    """All that a context, the working memory and the transcript show."""
    made = await office.platform.assembled(8_000, at="both", by="agent")
    texts = [one["text"] for one in made["sections"]]
    for what in ("working-memory", "transcript"):
        path = f"/v1/branches/main/{what}?conversation_id=both&participant_id=agent"
        texts.append((await office.platform.send("GET", path)).text)
    return "\n".join(texts)


async def test_what_two_people_are_behind_is_hidden_at_once_and_made_anew_from_who_is_left(
    cruise: Office, graph: Graph, rows: Rows
) -> None:
    tenant = cruise.platform.tenant_id
    await two_people(cruise)
    await asks(cruise, "mia", CANARY)
    await asks(cruise, "ben", OF_BEN)
    await learned(cruise, graph)
    lines = await rows(LINES, t=tenant)
    assert any(row["people"] == 2 and CANARY in row["text"] for row in lines), lines
    shown = await shown_to_ben(cruise)
    assert CANARY in shown and OF_BEN in shown
    await cruise.asked("erase", "u-mia")
    plan = await cruise.previewed("erase")
    assert plan["plan"]["derived"] > 0

    await behind_a_cordon(graph, rows, tenant)

    shown = await shown_to_ben(cruise)
    assert CANARY not in shown
    done = await cruise.approved("erase", plan["plan_digest"])
    assert done["state"] == "fulfilled", done
    assert done["receipt"]["derived"] == plan["plan"]["derived"]
    assert await holding(cruise, rows, CANARY) == []
    shown = await shown_to_ben(cruise)
    assert CANARY not in shown
    assert all(f"{OF_BEN} number {number}" in shown for number in (11, 13, 15))
    lines = await rows(LINES, t=tenant)
    assert lines and all(row["people"] == 1 and OF_BEN in row["text"] for row in lines), lines
    [query] = await rows(QUERIES, t=tenant)
    assert (query["text"], query["people"], query["times"]) == (QUESTION, 1, 1)
    later = [asked(f"later-{n}", f"Later {n}.", "ben", subject_ids=["u-ben"]) for n in range(9)]
    await cruise.platform.recorded(*later, at="both")
    await cruise.platform.compacted("fold again", at="both")
    await learned(cruise, graph)
    assert await holding(cruise, rows, CANARY) == []


async def test_a_line_that_a_second_compaction_took_over_loses_the_person_too(
    cruise: Office, rows: Rows
) -> None:
    await two_people(cruise)
    later = [asked(f"later-{n}", f"Later {n}.", "ben", subject_ids=["u-ben"]) for n in range(9)]
    await cruise.platform.recorded(*later, at="both")
    await cruise.platform.compacted("fold again", at="both")
    assert {"Payload", "SummaryLine"} <= {*await holding(cruise, rows, CANARY)}

    done = await cruise.erased("u-mia")

    assert done["state"] == "fulfilled", done
    assert await holding(cruise, rows, CANARY) == []
    assert OF_BEN in await shown_to_ben(cruise)


async def test_people_who_are_erased_one_after_the_other_leave_a_summary_one_after_the_other(
    cruise: Office, rows: Rows
) -> None:
    words = {"mia": CANARY, "ben": OF_BEN, "kim": "zqkim0b9e44d217"}
    seats = [human(name) for name in words]
    said = [
        replied(f"s{number}-{name}", f"Note {number}: {word} is booked.", subject_ids=[f"u-{name}"])
        for number in range(6)
        for name, word in words.items()
    ]
    last = asked("last", "And now?", "kim", subject_ids=["u-kim"])
    await cruise.platform.recorded(opened(user_id=None), *seats, agent(), *said, last, at="all")
    await cruise.platform.compacted("fold", at="all")
    for name in ("mia", "ben"):
        assert {"Payload", "SummaryLine"} <= {*await holding(cruise, rows, words[name])}

        done = await cruise.erased(f"u-{name}", f"erase-{name}")

        assert done["state"] == "fulfilled", done
        assert await holding(cruise, rows, words[name]) == []
    lines = await rows(LINES, t=cruise.platform.tenant_id)
    assert lines and all(words["kim"] in row["text"] for row in lines), lines


async def test_a_sentence_that_another_said_in_the_same_words_stays_and_the_erasure_ends(
    cruise: Office, rows: Rows
) -> None:
    sentence = "Is the sauna on the upper deck open after eight?"
    both = {"subject_ids": ["u-mia", "u-ben"]}
    said = [asked("of-mia", sentence, "mia"), asked("of-both", sentence, "ben", **both)]
    await cruise.platform.recorded(opened(user_id=None), human("mia"), human("ben"), *said, at="both")

    done = await cruise.erased("u-mia")

    assert done["state"] == "fulfilled", done
    left = await rows("MATCH (m:Message {tenant_id: $t}) RETURN m.text AS text", t=cruise.platform.tenant_id)
    assert left == [{"text": sentence}]


async def test_a_word_that_stands_in_what_governs_the_tenant_does_not_keep_an_erasure_open(
    cruise: Office,
) -> None:
    said = asked("m-1", "insight_users_min", "mia")
    await cruise.platform.recorded(opened(user_id="u-mia"), human("mia", user_id="u-mia"), said, at="mia")

    done = await cruise.erased("u-mia")

    assert done["state"] == "fulfilled", done


async def behind_a_cordon(graph: Graph, rows: Rows, tenant_id: str) -> None:
    """As an erasure begins, and no further."""
    [row] = await rows(UID, t=tenant_id, id="u-mia")

    async def work(tx: Transaction) -> Any:
        await cordon(tx, tenant_id, [row["uid"]], [], SystemClock()())

    await graph.write(work)
