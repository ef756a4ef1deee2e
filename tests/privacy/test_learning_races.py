"""What learns, judges and publishes beside an erasure: it is waited for, or it does nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pytest
from agent_platform import Json, agent, asked, human, opened, problem, ran, replied
from lives import texts_of
from officers import Office
from served import Rows
from test_derived import approved, behind_a_cordon, holding
from test_races import ATTEMPTS_MAX, NAMING, until_erased

from service.api.services import Services
from service.clock import SystemClock
from service.errors import NotFound
from service.graph import people, rectification
from service.graph.driver import UNIT_TIMEOUT_S, Graph, Result, Transaction, Work
from service.model.consistency import ConsistencyToken
from service.model.vocabulary import Feedback, ReviewAction
from service.usecases.judge_answer import Given
from service.usecases.keep_knowledge import Reviewed
from service.usecases.learn_answers import LearnAnswers, Learned
from service.usecases.review_candidates import Decision

CANARY = "zqmia7f3c19d2e8"
OF_BEN = "zqben5a1d77c0b4"
SETTINGS = {
    "privacy": {"tolerance": 1.0},
    "knowledge": {"insights_min_nodes": 1, "insight_users_min": 2},
}
LEARNED = "MATCH (n:Query|Response {tenant_id: $t}) WHERE n.text CONTAINS $word RETURN count(n) AS n"
UNLEARN = "MATCH (n:Query|Response {tenant_id: $t}) WHERE n.text CONTAINS $word DETACH DELETE n"
ANSWER = "MATCH (m:Message {tenant_id: $t, message_id: $id}) RETURN m.uid AS uid"
LEFT = """
MATCH (n:Judgement|LearningCandidate {tenant_id: $t})
WHERE NOT EXISTS { MATCH (:Message {uid: n.message_uid}) } RETURN count(n) AS n
"""
FORGET = """
MATCH (m:Message {tenant_id: $t}) WHERE m.text CONTAINS $word
OPTIONAL MATCH (j:Judgement)-[:JUDGES]->(m) DETACH DELETE j, m
"""
RESTORED = Reviewed(ReviewAction.RESTORE, "anne", None, None)
BLOCKED = """
SHOW TRANSACTIONS YIELD status, currentQuery
WHERE status STARTS WITH 'Blocked' AND currentQuery IN $queries
RETURN currentQuery
"""
LOOKS_MAX = 3000
HELD_S = 120.0

Writer = Callable[[Graph], Awaitable[Any]]


class Held(Graph):
    """The same graph to a writer who stops before its unit of work begins, or before it commits."""

    def __init__(self, graph: Graph, begun: bool) -> None:
        self.__dict__.update(graph.__dict__)
        self.begun, self.reached, self.let_go = begun, asyncio.Event(), asyncio.Event()

    async def write(
        self, work: Work[Result], bookmarks: Sequence[str] | None = None, timeout_s: float = UNIT_TIMEOUT_S
    ) -> tuple[Result, list[str]]:
        async def held(tx: Transaction) -> Result:
            if not self.begun:
                await self._stop()
            done = await work(tx)
            if self.begun:
                await self._stop()
            return done

        return await super().write(held, bookmarks, HELD_S)

    async def _stop(self) -> None:
        self.reached.set()
        await self.let_go.wait()


@dataclass(frozen=True)
class Desk:
    """An office with what is used beside it."""

    office: Office
    graph: Graph
    rows: Rows

    @property
    def tenant_id(self) -> str:
        return self.office.platform.tenant_id

    @property
    def services(self) -> Services:
        services: Services = self.office.platform.http._transport.app.state.services  # type: ignore[attr-defined]
        return services

    async def run(self, cypher: str, **params: Any) -> None:
        async def work(tx: Transaction) -> None:
            await tx.run(cypher, t=self.tenant_id, **params)

        await self.graph.write(work)

    async def candidate(self) -> Json:
        """Of the answer to Mia, where there is one."""
        listed = (await self.office.platform.send("GET", "/v1/learning-candidates")).json()["candidates"]
        return next(row for row in listed if row["message_id"] == "mia-a")


@pytest.fixture
async def desk(office: Office, graph: Graph, rows: Rows) -> Desk:
    """Mia and Ben have asked, and all of it was learned from."""
    made = Desk(office, graph, rows)
    await office.platform.configured(SETTINGS)
    product = await office.platform.send("PUT", "/v1/knowledge/products/p1", {"title": "Fjord Cruise"})
    assert product.status_code == 200, product.text
    for name, word in (("mia", CANARY), ("ben", OF_BEN)):
        await office.platform.recorded(opened(user_id=f"u-{name}"), human(name), agent(), at=name)
        await office.platform.recorded(*exchange(name, word), at=name)
    await made.services.learning.settled()
    return made


def exchange(name: str, word: str, number: str = "") -> list[Json]:
    """A question and its answer, in words of nobody else."""
    return [
        asked(f"{name}-q{number}", f"Is cabin {word} {number} free on the Fjord Cruise?", name),
        ran(f"{name}-r{number}"),
        replied(f"{name}-a{number}", f"Yes, {word} {number} is free.", run_id=f"{name}-r{number}"),
    ]


async def learning(desk: Desk) -> tuple[Writer, Any]:
    """Mia's answer waits to be learned from."""
    await desk.run(UNLEARN, word=CANARY)
    [row] = await desk.rows(ANSWER, t=desk.tenant_id, id="mia-a")
    queue = partial(rectification.queue_answers.none, tenant_id=desk.tenant_id, messages=[row["uid"]])
    await desk.graph.write(partial(queue, now=SystemClock()()))

    async def write(graph: Graph) -> Any:
        return await LearnAnswers(graph, desk.services.configurations)(desk.tenant_id)

    return write, Learned(not_learned=1)


async def judging(desk: Desk) -> tuple[Writer, Any]:
    """An answer that is disliked makes a candidate."""
    given = Given(feedback=Feedback.NEGATIVE)

    async def write(graph: Graph) -> Any:
        judge = replace(desk.services.judge_answer, graph=graph)
        return await judge(desk.tenant_id, "mia-a", given, ConsistencyToken())

    return write, NotFound


async def approving(desk: Desk) -> tuple[Writer, Any]:
    """A candidate is published as a document."""
    disliked = {"message_id": "mia-a", "user_id": "u-mia", "rating": "down"}
    assert (await desk.office.platform.send("POST", "/v1/feedback", disliked)).status_code == 200
    await desk.services.judge_answer.when_rated(desk.tenant_id, "mia-a", Feedback.NEGATIVE)
    one = await desk.candidate()
    decision = Decision(ReviewAction.APPROVE, "anne", one["version"])

    async def write(graph: Graph) -> Any:
        review = replace(desk.services.review_candidates, graph=graph)
        return await review.decide(desk.office.officer, one["candidate_id"], decision)

    return write, NotFound


async def restoring(desk: Desk) -> tuple[Writer, Any]:
    """A document that was kept with her name, and taken back, is published again."""
    path = "/v1/knowledge-documents/cabins"
    body = {"title": "Cabins", "text": f"Cabin {CANARY} is hers.", "subject_ids": ["u-mia"]}
    assert (await desk.office.platform.send("PUT", path, body)).status_code == 200
    retracted = await desk.office.platform.send(
        "POST", f"{path}/retract", {"reviewer": "anne", "reason": "Hers."}
    )
    assert retracted.status_code == 200, retracted.text

    async def write(graph: Graph) -> Any:
        keep = replace(desk.services.keep_knowledge, graph=graph)
        return await keep.decide(desk.office.officer, "cabins", RESTORED)

    return write, NotFound


Story = Callable[[Desk], Awaitable[tuple[Writer, Any]]]
WRITERS: list[Story] = [learning, judging, approving, restoring]


async def approved_erasure(desk: Desk) -> Json:
    """Approved, and carried out by nobody yet."""
    await desk.office.asked("erase", "u-mia")
    plan = await desk.office.previewed("erase")
    await desk.office.approved_and_left("erase", plan["plan_digest"])
    return plan


@dataclass(frozen=True)
class Meeting:
    """A writer who is held, and an erasure that is approved."""

    desk: Desk
    plan: Json
    held: Held
    writing: asyncio.Future[Any]
    expected: Any
    """What a writer answers, or raises, who finds Mia hidden."""

    @classmethod
    async def of(cls, desk: Desk, story: Story, *, begun: bool) -> Meeting:
        write, expected = await story(desk)
        plan = await approved_erasure(desk)
        held = Held(desk.graph, begun)
        writing = asyncio.ensure_future(write(held))
        await held.reached.wait()
        return cls(desk, plan, held, writing, expected)

    async def erase(self) -> bool:
        """Carry it out; False where another process does."""
        return await self.desk.office.privacy.carrying_out.erase(self.desk.tenant_id, self.plan["uid"])

    async def is_over(self) -> None:
        """It ended, and nothing is left."""
        assert (await self.desk.office.read("erase"))["state"] == "fulfilled"
        await nothing_is_left(self.desk, self.plan["subject_uids"])


async def waiting_at_its_cordon(desk: Desk) -> None:
    """The erasure has found the graph as it was approved, and waits for a lock. Nothing is destroyed yet."""
    cordon = [people.end_users.statement, people.await_batches.statement]
    for _ in range(LOOKS_MAX):
        if await desk.rows(BLOCKED, queries=cordon):
            return
    raise AssertionError("it did not wait for the lock")


async def nothing_is_left(desk: Desk, people: list[str]) -> None:
    """Nothing of Mia, and all that was learned from Ben."""
    assert CANARY not in await texts_of(desk.rows, desk.tenant_id)
    for uid in people:
        assert await desk.rows(NAMING, t=desk.tenant_id, uid=uid) == []
    assert await desk.rows(LEFT, t=desk.tenant_id) == [{"n": 0}]
    assert await desk.rows(LEARNED, t=desk.tenant_id, word=OF_BEN) == [{"n": 2}]


@pytest.mark.parametrize("story", WRITERS)
async def test_an_erasure_waits_for_a_writer_that_found_nobody_hidden(desk: Desk, story: Story) -> None:
    meeting = await Meeting.of(desk, story, begun=True)
    erasing = asyncio.create_task(meeting.erase())
    await waiting_at_its_cordon(desk)
    meeting.held.let_go.set()
    await meeting.writing
    assert await erasing
    await meeting.is_over()


@pytest.mark.parametrize("story", WRITERS)
async def test_a_writer_that_comes_after_the_cordon_does_nothing(desk: Desk, story: Story) -> None:
    meeting = await Meeting.of(desk, story, begun=False)
    await behind_a_cordon(desk.graph, desk.rows, desk.tenant_id)
    meeting.held.let_go.set()
    if meeting.expected is NotFound:
        with pytest.raises(NotFound):
            await meeting.writing
    else:
        assert await meeting.writing == meeting.expected
    assert await meeting.erase()
    await meeting.is_over()


async def test_what_was_learned_from_messages_that_are_gone_goes_too(desk: Desk) -> None:
    """As a writer left it who did not wait, or as messages are gone that were kept for long enough."""
    await approved(desk.office, "mia-a", "u-mia")
    await desk.run(FORGET, word=CANARY)
    done = await desk.office.erased("u-mia")
    assert done["state"] == "fulfilled", done
    assert {"Query", "Response", "LearningCandidate", "KnowledgeDocument"} <= set(done["receipt"]["nodes"])
    await nothing_is_left(desk, done["subject_uids"])


async def test_asking_searching_and_learning_go_on_beside_an_erasure(desk: Desk) -> None:
    office, platform = desk.office, desk.office.platform
    await approved(office, "mia-a", "u-mia")
    await office.asked("erase", "u-mia")
    plan = await office.previewed("erase")
    over = asyncio.Event()

    async def asking(number: int) -> int:
        talk = exchange("mia", CANARY, str(number))
        return (await platform.record(*talk, at="mia")).status_code

    async def beside(number: int) -> int:
        return (await platform.record(*exchange("ben", OF_BEN, str(number)), at="ben")).status_code

    async def assembling(number: int) -> int:
        return (await platform.assemble(4_000, at="ben", question=True)).status_code

    async def assembling_hers(number: int) -> int:
        return (await platform.assemble(4_000, at="mia", question=True)).status_code

    async def searching(number: int) -> int:
        found = await platform.send("GET", "/v1/knowledge-documents?query=cabin%20free")
        return found.status_code

    async def learning_on(number: int) -> int:
        done = await LearnAnswers(desk.graph, desk.services.configurations)(desk.tenant_id)
        return done.passed

    async def judging_on(number: int) -> int:
        return (await platform.send("POST", "/v1/answers/mia-a/confidence", {})).status_code

    async def erasing() -> Json:
        try:
            return await office.approved("erase", plan["plan_digest"])
        finally:
            over.set()

    works = (asking, beside, assembling, assembling_hers, searching, learning_on, judging_on)
    seen, done = await asyncio.gather(until_erased(*works, over=over), erasing())
    for _ in range(ATTEMPTS_MAX):  # it had moved beyond what is tolerated
        if done["state"] == "fulfilled":
            break
        assert (done["state"], done["stage"]) == ("open", "received"), done
        done = await office.approved("erase", (await office.previewed("erase"))["plan_digest"])
    recorded, others, contexts, of_hers, searches, passed, judged = seen
    assert done["state"] == "fulfilled", done
    assert recorded <= {201, 410} and others == {201} and contexts == {201} and of_hers <= {201, 410}
    assert searches == {200} and passed == {0} and judged <= {200, 404, 410}
    for _ in range(2):
        await desk.services.learning.settled()
        await LearnAnswers(desk.graph, desk.services.configurations)(desk.tenant_id)
        assert await holding(office, desk.rows, CANARY) == []
        problem(await platform.record(*exchange("mia", CANARY, "again"), at="mia"), 410, "erased")
        found = (await platform.send("GET", "/v1/knowledge-documents?query=cabin%20free")).json()
        assert CANARY not in str(found)
        shown = await platform.assembled(4_000, at="ben", question=True)
        assert CANARY not in str(shown["sections"])
    [left] = await desk.rows(LEARNED, t=desk.tenant_id, word=OF_BEN)
    assert left["n"] >= 4, "what Ben asked meanwhile was learned"
