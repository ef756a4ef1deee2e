"""Random tenants: people with conversations of their own, of nobody and with each other, and what came of it.

Everything that one person says holds that person's word, a string like no other; what names several people
calls them by their names and holds nobody's word. So whose a text is can be read from it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

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
    ran,
    remembered,
    replied,
)

NAMES = ("mia", "ben", "ada", "kim", "lou")
LARGE = 20_000
"""Characters above which a result is a blob."""
SHARED_QUESTIONS = ("Is the Fjord Cruise sold out?", "What does the Alpine Tour cost?")
"""What several people ask in the same words."""
SMALL = {"insights_min_nodes": 1, "insight_users_min": 2}
KINDS = (
    *("ask", "ask", "question", "question", "together", "call", "call", "large", "mixed call"),
    *("memory", "memory of another", "claim", "pin", "pinned", "skills", "notes", "notes together"),
    *("checkpoint", "release", "unknown", "retract", "rename"),
)
MAIN = "main"


@dataclass(frozen=True)
class Person:
    """A person; `word` stands in all that is theirs, and in what they are called."""

    name: str
    word: str

    @property
    def user_id(self) -> str:
        return f"u-{self.name}-{self.word}"

    @property
    def seat(self) -> str:
        return f"{self.name}-{self.word}"

    def seated(self) -> Json:
        """The event that seats them."""
        return human(self.seat, user_id=self.user_id, display_name=f"{self.name.title()} {self.word}")


@dataclass
class Talk:
    """One conversation as it grows. `owner` None: nobody's; `unknown`: somebody whom nobody named speaks."""

    id: str
    owner: Person | None
    people: list[Person]
    unknown: bool = False
    heads: dict[str, int] = field(default_factory=lambda: {MAIN: 0})
    forked: dict[str, int] = field(default_factory=dict)
    messages: dict[str, list[str]] = field(default_factory=dict)
    calls: dict[str, list[str]] = field(default_factory=dict)
    memories: list[str] = field(default_factory=list)
    noted: dict[str, int] = field(default_factory=dict)
    answers: list[tuple[str, Person]] = field(default_factory=list)

    def involves(self, person: Person) -> bool:
        """Whether anything here may be of that person."""
        return person is self.owner or person in self.people


@dataclass
class RandomTenant:
    """What was made, from one seed."""

    platform: Platform
    chance: random.Random
    settled: Callable[[], Any]
    people: list[Person] = field(default_factory=list)
    talks: list[Talk] = field(default_factory=list)
    named: int = 0

    def new(self, what: str) -> str:
        """A client's id that says nothing of anybody."""
        self.named += 1
        return f"{what}-{self.named}"

    async def made(self) -> RandomTenant:
        """Everything."""
        chance = self.chance
        await self.platform.configured({"knowledge": SMALL})
        for number, title in enumerate(("Fjord Cruise", "Alpine Tour")):
            await self._put(
                f"/v1/knowledge/products/p{number}", {"title": title, "aliases": [f"tour {number}"]}
            )
        await self._put("/v1/knowledge/documents/d1", {"title": "Baggage rules"})
        for name in NAMES[: chance.randint(2, len(NAMES))]:
            self.people.append(Person(name, f"zq{chance.getrandbits(96):024x}"))
        for number in range(chance.randint(2, 4)):
            await self._talk(f"talk-{number}")
        await self.settled()
        await self._knowledge()
        await self.settled()
        return self

    async def _put(self, path: str, body: Json) -> None:
        done = await self.platform.send("PUT", path, body)
        assert done.status_code == 200, done.text

    async def _talk(self, at: str) -> None:
        chance = self.chance
        owner = chance.choice([None, *self.people, *self.people])
        others = [one for one in self.people if one is not owner and chance.random() < 0.35]
        talk = Talk(at, owner, [*([owner] if owner else []), *others] or [chance.choice(self.people)])
        talk.unknown = chance.random() < 0.1
        title = f"Talk of {owner.word}" if owner else "A talk"
        first = opened(user_id=owner.user_id if owner else None, title=title)
        seats = [one.seated() for one in talk.people]
        if talk.unknown:
            seats.append(human("somebody", user_id=None))
        helpers = [agent(), agent("scout", participant_kind="subagent", parent_participant_id="agent")]
        self.talks.append(talk)
        await self._record(talk, MAIN, [first, *seats, *helpers])
        for _ in range(chance.randint(3, 7)):
            branch = chance.choice([*talk.heads])
            events: list[Json] = []
            for _ in range(chance.randint(1, 5)):
                events += self._step(talk, branch)
            await self._record(talk, branch, events)
            await self._move(talk, branch)

    async def _record(self, talk: Talk, branch: str, events: list[Json]) -> None:
        key = self.new("key") if self.chance.random() < 0.3 else None
        if events:
            told = await self.platform.recorded(*events, at=talk.id, branch=branch, idempotency_key=key)
            talk.heads[branch] = told["events"][-1]["seq"]

    async def _move(self, talk: Talk, branch: str) -> None:
        """Fork, merge, compact, or go on."""
        match self.chance.choice(("on", "on", "fork", "merge", "compact", "assemble")):
            case "fork" if len(talk.heads) < 4:
                new = self.new("branch")
                title = f"Branch of {talk.owner.word}" if talk.owner else "A branch"
                base = talk.heads[branch]
                await self._record(talk, MAIN, [forked(new, base, branch, title=title)])
                talk.heads[new] = talk.forked[new] = base
                talk.messages[new], talk.calls[new] = [*talk.messages.get(branch, [])], []
                talk.noted |= {
                    f"{new} {name.partition(' ')[2]}": version
                    for name, version in talk.noted.items()
                    if name.partition(" ")[0] == branch
                }
            case "merge":
                moved = [one for one, base in talk.forked.items() if one != branch and talk.heads[one] > base]
                if moved and branch == MAIN:
                    source = self.chance.choice(moved)
                    merge = {"kind": "merge", "from_branch_id": source, "from_seq": talk.heads[source]}
                    await self._record(talk, branch, [merge])
                    del talk.forked[source]
            case "compact" if talk.heads[branch] > 8:
                done = await self.platform.compact(self.new("compaction"), branch, at=talk.id)
                assert done.status_code in (200, 201, 409, 422), done.text
                talk.heads[branch] += done.status_code == 201
            case "assemble":
                await self.platform.assembled(at=talk.id, branch=branch)

    def _step(self, talk: Talk, branch: str) -> list[Json]:
        chance, who = self.chance, self.chance.choice(talk.people)
        about = talk.owner or who
        theirs = {} if talk.owner else {"subject_ids": [about.user_id]}
        both = chance.sample(talk.people, min(2, len(talk.people)))
        together = " and ".join(one.user_id for one in both)
        mixed: Json = {"subject_ids": [one.user_id for one in both]}
        messages, calls = talk.messages.setdefault(branch, []), talk.calls.setdefault(branch, [])
        kind = chance.choice(KINDS)
        match kind:
            case "ask":
                messages.append(self.new("m"))
                run, reply = self.new("run"), self.new("m")
                told = replied(reply, f"To {about.word}: yes.", run_id=run, **theirs)
                talk.answers.append((reply, about))
                return [asked(messages[-1], f"I am {who.word}, may I?", who.seat), ran(run, **theirs), told]
            case "question":
                run, reply = self.new("run"), self.new("m")
                said = asked(self.new("m"), chance.choice(SHARED_QUESTIONS), who.seat)
                talk.answers.append((reply, about))
                told = replied(reply, "See the Baggage rules.", run_id=run, **theirs)
                return [said, ran(run, **theirs), told]
            case "together":
                run = self.new("run")
                said = asked(self.new("m"), f"Can {together} sail?", who.seat, **mixed)
                told = replied(self.new("m"), f"Yes, {together} sail together.", run_id=run, **mixed)
                return [said, ran(run, **mixed), told]
            case "call" | "large":
                call = self.new("call")
                more = "x" * LARGE if kind == "large" else ""
                result = answered(call, {"key": call, "of": about.word, "more": more})
                calls.append(call)
                return [called(call, {"for": about.word}, **theirs), result]
            case "mixed call":
                call = self.new("call")
                more = "y" * LARGE if chance.random() < 0.5 else ""
                calls.append(call)
                told = {"of": together, "number": call, "more": more}
                return [called(call, {"for": together}, **mixed), answered(call, told, **mixed)]
            case "memory":
                talk.memories.append(self.new("memory"))
                fact = remembered(talk.memories[-1], f"seat {who.word}", by=who.seat, user_id=who.user_id)
                return [fact]
            case "memory of another":
                other = chance.choice(talk.people)
                by, sign = chance.choice([("agent", "x"), (who.seat, who.word)])
                fact = remembered(self.new("memory"), f"likes {other.word}", sign, by, user_id=other.user_id)
                return [fact]
            case "retract" if talk.memories:
                memory = talk.memories.pop()
                return [{"kind": "retract", "participant_id": "agent", "memory_id": memory}]
            case "claim" if calls:
                link = {"call_id": chance.choice(calls)}
                return [claimed(self.new("claim"), link, text=f"It is {about.word}.", **theirs)]
            case "pin":
                pin = {"kind": "pin", "pin_id": self.new("pin"), "participant_id": who.seat}
                return [{**pin, "pin_kind": "decision", "text": f"Pinned by {who.word}"}]
            case "pinned" if messages:
                pin = {"kind": "pin", "pin_id": self.new("pin"), "participant_id": "agent"}
                return [{**pin, "pin_kind": "decision", "message_id": chance.choice(messages)}]
            case "skills":
                return [{"kind": "skill_state", "participant_id": "agent", "skills": ["sail"], **theirs}]
            case "notes" | "notes together":
                version = talk.noted.get(f"{branch} agent", 0)
                talk.noted[f"{branch} agent"] = version + 1
                notes = {"kind": "working_memory", "participant_id": "agent", "expected_version": version}
                if kind == "notes together":
                    return [{**notes, "block": f"About {together}.", **mixed}]
                return [{**notes, "fields": {chance.choice("abc"): f"is {about.word}"}, **theirs}]
            case "checkpoint":
                return [
                    {
                        "kind": "checkpoint",
                        "checkpoint_id": self.new("cp"),
                        "participant_id": "agent",
                        **theirs,
                    }
                ]
            case "release":
                release = {"kind": "release", "participant_id": "scout", "outcome": "failed"}
                return [{**release, "summary": f"Nothing for {about.word}.", **theirs}]
            case "unknown" if talk.unknown:
                return [asked(self.new("m"), "Nobody knows me.", "somebody")]
            case "rename" if talk.owner:
                return [{"kind": "rename", "title": f"Now of {talk.owner.word}"}]
            case _:
                return [asked(self.new("m"), f"Again {who.word}.", who.seat)]

    async def _knowledge(self) -> None:
        chance = self.chance
        for message_id, who in (answer for talk in self.talks for answer in talk.answers):
            if chance.random() < 0.4:
                rating = {
                    "message_id": message_id,
                    "user_id": who.user_id,
                    "rating": chance.choice(["up", "down"]),
                }
                done = await self.platform.send("POST", "/v1/feedback", rating)
                assert done.status_code == 200, done.text
        for who in self.people:
            for _ in range(chance.randint(0, 2)):
                booking = self.new("booking")
                body = {
                    "title": f"Trip of {who.word}",
                    "aliases": [f"trip {who.word}"],
                    "user_id": who.user_id,
                }
                await self._put(f"/v1/knowledge/bookings/{booking}", body)
                booked = {"start": {"booking_id": booking}, "end": {"product_id": "p0"}}
                seen = {"start": {"user_id": who.user_id}, "end": {"product_id": "p1"}}
                edges = [{"relationship": "BOOKED", **booked}, {"relationship": "VIEWED", **seen}]
                await self._put("/v1/knowledge/edges", {"edges": edges})
        for some in ([chance.choice(self.people)], chance.sample(self.people, 2), []):
            called_so = " and ".join(one.user_id for one in some)
            text = f"The rules for {called_so or 'all'}. " + (some[0].word if len(some) == 1 else "")
            body = {"title": "Rules", "text": text, "subject_ids": [one.user_id for one in some]}
            await self._put(f"/v1/knowledge-documents/{self.new('document')}", body)
        listed = await self.platform.send("GET", "/v1/learning-candidates")
        for one in listed.json()["candidates"]:
            if chance.random() < 0.5:
                body = {"reviewer": "anne", "expected_version": one["version"]}
                path = f"/v1/learning-candidates/{one['candidate_id']}/approve"
                done = await self.platform.send("POST", path, body)
                assert done.status_code in (200, 409, 422), done.text
