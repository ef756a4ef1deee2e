"""Every scenario, over HTTP on a real Neo4j, and beside it the naive reference model."""

from __future__ import annotations

import hashlib
import re
from typing import Any

import pytest
from agent_platform import Platform, section, shown
from reference.asking import Asking
from reference.model import World
from served import Rows
from story import Json, Step, Story, stories, wire_json
from theatre import Theatre

CONVERSATION = "conversation"
BUDGET_TOKENS = 4_000
ROUTES: dict[str, Json] = {
    "openai": {"trains_on_data": False},
    "anthropic": {"trains_on_data": False},
    "local": {"trains_on_data": False, "zero_data_retention": True, "local": True},
}
CHOICES = {
    "over_budget",
    "worth_too_little",
    "superseded",
    "shown_whole",
    "too_large_to_rehydrate",
    "beyond_candidates",
}
"""Reasons that choose among what may enter; all others say that it may not."""
CHECKS = {
    "assemble": {
        "contains",
        "lacks",
        "sections",
        "absent_sections",
        "omitted",
        "items",
        "enters",
        "stays_out",
        "tokens_max",
        "saves",
        "problem",
    },
    "rehydrate": {"content", "content_sha256", "contains", "lacks", "whole", "problem", "reason", "call_id"},
    "why_not": {"included", "reason", "policy", "problem", "settings"},
    "why": {"entered", "run_id"},
    "lose": set(),
    "restore": set(),
}


@pytest.mark.parametrize("story", stories(), ids=lambda story: story.name)
async def test_the_story_goes_as_told(story: Story, platform: Platform, theatre: Theatre, rows: Rows) -> None:
    await Telling(story, platform, theatre, rows).tell()


def test_the_eighteen_scenarios_of_the_specification_are_here() -> None:
    assert len(stories()) == 18


class Telling:
    """One story on its way: what was recorded, and the newest assembly."""

    def __init__(self, story: Story, platform: Platform, theatre: Theatre, rows: Rows) -> None:
        self.story, self.platform, self.theatre, self.rows = story, platform, theatre, rows
        self.world = World()
        self.assembly_id = ""
        self.assembly_of: dict[str, str] = {}

    async def tell(self) -> None:
        """All steps, in order."""
        self.theatre.set_time(self.story.steps[0].at)
        if self.story.settings:
            await self._configure()
        opening = ({"kind": "conversation", "user_id": "user-owner"}, *self.story.seats)
        await self._record(Step(self.story.steps[0].at, "main", opening))
        for step in self.story.steps:
            self.theatre.set_time(step.at)
            if step.events:
                await self._record(step)
            else:
                unknown = set(step.then or {}) - CHECKS[step.when]
                assert not unknown, f"{step.when} has no check {unknown}"
                await getattr(self, f"_{step.when}")(step, step.asked or {}, step.then or {})

    async def _configure(self) -> None:
        await self.platform.configured({**self.story.settings, "providers": self._routes()})

    def _routes(self) -> Json:
        return {**ROUTES, **self.story.settings.get("providers", {})}

    async def _record(self, step: Step) -> None:
        events = [dict(event) for event in step.events]
        for event in events:
            if event["kind"] == "model_run" and event.pop("given_the_assembly", False):
                event["assembly_id"] = self.assembly_id
        await self.platform.recorded(*wire_json(events), at=CONVERSATION, branch=step.branch)
        self.world.record(step.branch, events, step.at)

    async def _lose(self, step: Step, asked: Json, then: Json) -> None:
        self.theatre.lose(await self._blob(asked["call"]))

    async def _restore(self, step: Step, asked: Json, then: Json) -> None:
        self.theatre.restore(await self._blob(asked["call"]))

    async def _blob(self, call_id: str) -> str:
        [found] = await self.rows(
            "MATCH (:ToolCall {tenant_id: $t, call_id: $c})-[:RESULTED_IN]->(a) RETURN a.result_blob AS blob",
            t=self.platform.tenant_id,
            c=call_id,
        )
        assert found["blob"], "only a result above the inline limit has a blob to lose"
        return str(found["blob"])

    # -- questions

    async def _assemble(self, step: Step, asked: Json, then: Json) -> None:
        asked = {"budget_tokens": BUDGET_TOKENS, **asked}
        if "exact" in asked:
            asked["exact"] = [await self._artifact_uid(call_id) for call_id in asked["exact"]]
        answer = await self.platform.assemble(at=CONVERSATION, branch=step.branch, **asked)
        if "problem" in then:
            assert answer.json()["code"] == then["problem"], answer.text
            return
        assert answer.status_code == 201, answer.text
        context = answer.json()
        self.assembly_id = context["assembly_id"]
        assert context["tokens"]["assembled"] <= asked["budget_tokens"]
        read = shown(context)
        for text in then.get("contains", ()):
            assert _plain(text) in _plain(read), f"{text!r} is not in:\n{read}"
        for text in then.get("lacks", ()):
            assert _plain(text) not in _plain(read), f"{text!r} is in:\n{read}"
        for name, told in then.get("sections", {}).items():
            part = _plain(section(context, name)["text"])
            assert all(_plain(text) in part for text in told.get("contains", ())), f"{name}: {part}"
            assert all(_plain(text) not in part for text in told.get("lacks", ())), f"{name}: {part}"
        here = {one["section"] for one in context["sections"]}
        assert not here & set(then.get("absent_sections", ()))
        for name, count in then.get("items", {}).items():
            assert len(section(context, name)["items"]) == count, section(context, name)
        omitted = {one["reason"]: one["count"] for one in context["omissions"]}
        for reason, count in then.get("omitted", {}).items():
            assert omitted.get(reason, 0) == count, omitted
        assert context["tokens"]["assembled"] <= then.get("tokens_max", asked["budget_tokens"])
        assert context["tokens"]["saved_share"] >= then.get("saves", -9), context["tokens"]
        await self._agrees_with_the_reference(step, asked, then, context)
        await self._is_explained_and_replayed(context)

    async def _agrees_with_the_reference(self, step: Step, asked: Json, then: Json, context: Json) -> None:
        entered = await self._names(
            item["uid"]
            for part in context["sections"]
            for item in part["items"]
            if item["kind"] in ("message", "tool_call", "tool_memory", "tool_artifact", "pin")
        )
        asking = Asking(
            self.world,
            asked["by"],
            step.branch,
            self._routes()[asked.get("provider", "openai")],
            asked.get("runtime_kind", "chat"),
            step.at,
        )
        verdicts = asking.verdicts()
        allowed = {key[1] for key, reason in verdicts.items() if reason is None}
        assert entered <= allowed, f"entered against the specification: {entered - allowed}"
        for one in then.get("enters", ()):
            assert one in entered, f"{one} did not enter: {sorted(entered)}"
        for one, reason in then.get("stays_out", {}).items():
            assert one not in entered
            told = {r for key, r in verdicts.items() if key[1] == one and key[0] != "tool_call"}
            assert told == ({None} if reason in CHOICES else {reason}), (one, told)
            if reason not in ("private_to_other", "unpinned"):
                await self._why_not(step, {"item": one}, {"included": False, "reason": reason})

    async def _is_explained_and_replayed(self, context: Json) -> None:
        """What holds for every assembly: the record tells the same, and the choice can be made again."""
        explained = await self.platform.explained(self.assembly_id)
        assert explained["assembled_tokens"] == context["tokens"]["assembled"]
        assert explained["omissions"] == context["omissions"]
        again = await self.platform.send("POST", f"/v1/assemblies/{self.assembly_id}/replay")
        assert (again.json()["reproducible"], again.json()["same"]) == (True, True), again.text

    async def _rehydrate(self, step: Step, asked: Json, then: Json) -> None:
        asked = dict(asked)
        path = f"/v1/artifacts/{asked.pop('artifact')}/rehydrate"
        body = {
            "conversation_id": CONVERSATION,
            "branch_id": step.branch,
            "participant_id": asked.pop("by"),
            **asked,
        }
        answer = (await self.platform.send("POST", path, body)).json()
        if "problem" in then:
            assert (answer.get("code"), answer.get("reason")) == (then["problem"], then.get("reason")), answer
            return
        assert "content" in answer, answer
        assert answer["call_id"] == then.get("call_id", answer["call_id"])
        assert answer["content"] == then.get("content", answer["content"])
        if "content_sha256" in then:
            digest = hashlib.sha256(answer["content"].encode()).hexdigest()
            assert digest == then["content_sha256"] == answer["result_sha256"]
        assert answer["whole"] == then.get("whole", answer["whole"])
        assert all(text in answer["content"] for text in then.get("contains", ()))
        assert all(text not in answer["content"] for text in then.get("lacks", ()))

    async def _why_not(self, step: Step, asked: Json, then: Json) -> None:
        path = f"/v1/assemblies/{self.assembly_id}/why-not/{asked['item']}"
        answer = await self.platform.send("GET", path)
        told = answer.json()
        if "problem" in then:
            assert told["code"] == then["problem"], told
            return
        assert answer.status_code == 200, answer.text
        for name in ("included", "reason", "policy"):
            assert told[name] == then.get(name, told[name]), told
        assert {**told["settings"], **then.get("settings", {})} == told["settings"]
        if not told["included"]:
            assert told["sentence"]
            assert told["what_would_change_it"]

    async def _why(self, step: Step, asked: Json, then: Json) -> None:
        answer = (await self.platform.send("GET", f"/v1/messages/{asked['message']}/why")).json()
        assert answer["run_id"] == then.get("run_id", answer["run_id"])
        items = [item["uid"] for part in answer["assembly"]["sections"] for item in part["items"]]
        assert set(then["entered"]) <= await self._names(items)

    # -- ids

    async def _artifact_uid(self, call_id: str) -> str:
        found = await self.rows(
            "MATCH (:ToolCall {tenant_id: $t, call_id: $c})-[:RESULTED_IN]->(a) RETURN a.uid AS uid",
            t=self.platform.tenant_id,
            c=call_id,
        )
        return str(found[0]["uid"])

    async def _names(self, uids: Any) -> set[str]:
        """Client ids of items; a memory and an artifact go by their call's."""
        found = await self.rows(
            "UNWIND $uids AS uid "
            "OPTIONAL MATCH (m:Message {uid: uid}) OPTIONAL MATCH (c:ToolCall {uid: uid}) "
            "OPTIONAL MATCH (p:Pin {uid: uid}) "
            "OPTIONAL MATCH (:ToolMemory {uid: uid})-[:DERIVED_FROM]->(:ToolArtifact)<-[:RESULTED_IN]-(of) "
            "RETURN coalesce(m.message_id, c.call_id, p.pin_id, of.call_id) AS id",
            uids=list(uids),
        )
        return {row["id"] for row in found if row["id"]}


def _plain(text: str) -> str:
    """Runs of blanks as one, so that a story need not know where a line breaks."""
    return re.sub(r"\s+", " ", text)
