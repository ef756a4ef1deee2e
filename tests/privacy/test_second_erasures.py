"""What was redacted before, for somebody else, is treated by a second erasure as what it was when it was
said."""

from __future__ import annotations

from typing import Any

import pytest
from agent_platform import (
    agent,
    answered,
    asked,
    called,
    forked,
    human,
    opened,
    remembered,
    replied,
)
from officers import Office, cut_small
from served import Rows
from test_derived import holding
from three_people import (
    ALL,
    AT,
    LARGE,
    LINES,
    MIA_AND_BEN,
    PAYLOADS,
    WORDS,
    begun,
    gone,
    in_stretches,
    noted,
    put_right,
    recorded,
)

from service.graph.driver import Graph
from service.usecases.erasure.mixed import TakeOut


@in_stretches
async def test_large_results_of_three_people_can_be_read_until_the_last_is_erased(
    office: Office, graph: Graph, rows: Rows, seqs: int
) -> None:
    await begun(office)
    text = "u-mia and u-ben and u-kim"
    await recorded(office, called("c1", {"for": text, "more": "z" * LARGE}, **ALL))
    for name, word in WORDS.items():
        await recorded(office, asked(f"{name}1", word, name, subject_ids=[f"u-{name}"]))
    head = (await office.platform.recorded(replied("first-yes", "Yes."), at=AT))["events"][-1]["seq"]
    await recorded(office, forked("aside", head))
    await recorded(office, answered("c1", {"of": text, "more": "x" * LARGE}, **ALL))
    await recorded(office, answered("c1", {"of": text, "more": "y" * LARGE}, **ALL), branch="aside")
    await gone(office, rows, graph, "mia", "ben", "kim")
    await gone(office, rows, graph, "ben", "kim")
    body = {"conversation_id": AT, "participant_id": "agent", "byte_budget": 1 << 20}
    read = await office.platform.send("POST", "/v1/artifacts/c1/rehydrate", body)
    assert read.status_code == 200 and "[redacted]" in read.text, read.text
    await gone(office, rows, graph, "kim")


@in_stretches
async def test_a_line_keeps_what_was_said_of_nobody(
    office: Office, graph: Graph, rows: Rows, seqs: int
) -> None:
    await begun(office)
    for number in range(6):
        for name, word in WORDS.items():
            note = f"Note {number}: {word} is booked."
            told = replied(f"{name}{number}", note, subject_ids=[f"u-{name}"])
            await recorded(office, told, replied(f"{name}n{number}", f"Harbour {name[0]}{number} opens."))
    await recorded(office, asked("last", "And now?", "kim", subject_ids=["u-kim"]))
    await office.platform.configured({"compaction": {"lines_max": 8}})
    await office.platform.compacted("fold", at=AT)
    before = await rows(LINES, t=office.platform.tenant_id)
    assert any("Harbour" in row["text"] for row in before), before
    await gone(office, rows, graph, "mia", "ben", "kim")
    lines = await rows(LINES, t=office.platform.tenant_id)
    assert any("Harbour" in row["text"] for row in lines), (before, lines)


@in_stretches
async def test_a_message_that_was_put_right_is_redacted_twice_and_goes_with_the_last(
    office: Office, graph: Graph, rows: Rows, seqs: int
) -> None:
    await begun(office)
    await recorded(office, replied("m1", "All wrong and long enough.", **ALL))
    await recorded(office, noted(0, ["mia", "ben", "kim"], fields={"a": "all wrong here"}))
    await recorded(office, noted(1, ["kim"], fields={"b": WORDS["kim"]}))
    told = f"u-mia, {WORDS['ben']}, {WORDS['kim']}"
    await put_right(office, "mia", "right", event={"message_id": "m1"}, text=told)
    await gone(office, rows, graph, "mia", "ben", "kim")
    await put_right(office, "kim", "again", event={"message_id": "m1"}, text=f"u-ben and {WORDS['kim']}!")
    left = await rows("MATCH (m:Message {tenant_id: $t}) RETURN m.text AS text", t=office.platform.tenant_id)
    assert left == [{"text": f"u-ben and {WORDS['kim']}!"}]
    await gone(office, rows, graph, "ben", "kim")
    await gone(office, rows, graph, "kim")


@in_stretches
async def test_a_reference_is_taken_out_of_what_another_erasure_left_as_it_was(
    office: Office, graph: Graph, rows: Rows, seqs: int
) -> None:
    await begun(office)
    await recorded(
        office,
        replied("m1", f"To {WORDS['ben']}.", shared_with=["kim"], visibility="participant", **MIA_AND_BEN),
        asked("k1", WORDS["kim"], "kim", subject_ids=["u-kim"]),
    )
    await gone(office, rows, graph, "mia", "ben", "kim")
    await gone(office, rows, graph, "kim", "ben")
    await gone(office, rows, graph, "ben")


@in_stretches
async def test_a_memory_about_somebody_goes_with_them_although_it_was_redacted(
    office: Office, graph: Graph, rows: Rows, seqs: int
) -> None:
    await begun(office)
    fact = remembered("me1", f"u-mia likes {WORDS['ben']}", by="agent", user_id="u-ben", **ALL)
    await recorded(office, fact, asked("k1", WORDS["kim"], "kim", subject_ids=["u-kim"]))
    await gone(office, rows, graph, "mia", "ben", "kim")
    await gone(office, rows, graph, "ben", "kim")


async def test_a_summary_is_told_again_after_an_erasure_and_a_rectification_in_it_ends(
    office: Office, graph: Graph, rows: Rows
) -> None:
    await begun(office)
    said = [
        replied(f"m{n}-{name}", f"Note {n}: {word} is booked.", subject_ids=[f"u-{name}"])
        for n in range(9)
        for name, word in WORDS.items()
    ]
    await recorded(office, *said, asked("k", "And now?", "kim", subject_ids=["u-kim"]))
    await office.platform.configured({"compaction": {"lines_max": 8}})
    await office.platform.compacted("fold", at=AT)
    await gone(office, rows, graph, "mia", "ben", "kim")
    await put_right(office, "ben", "right", event={"message_id": "m8-ben"}, text="Nothing is booked.")
    await gone(office, rows, graph, "ben", "kim")


@in_stretches
async def test_what_a_release_told_of_who_is_left_goes_with_them(
    office: Office, graph: Graph, rows: Rows, seqs: int
) -> None:
    await begun(office)
    release = {"kind": "release", "participant_id": "scout", "outcome": "failed"}
    told = f"u-mia was there with {WORDS['ben']}."
    await recorded(office, {**release, "summary": told, **MIA_AND_BEN})
    await recorded(office, asked("k1", f"{WORDS['kim']}", "kim", subject_ids=["u-kim"]))
    await gone(office, rows, graph, "mia")
    assert "PolicyDecision" in await holding(office, rows, WORDS["ben"])
    await gone(office, rows, graph, "ben", "kim")


@in_stretches
async def test_a_note_about_two_people_leaves_later_notes_with_the_second_of_them(
    office: Office, graph: Graph, rows: Rows, seqs: int
) -> None:
    await begun(office)
    await recorded(
        office,
        noted(0, ["mia", "ben"], fields={"a": f"u-mia sails with {WORDS['ben']}"}),
        noted(1, ["kim"], fields={"b": f"{WORDS['kim']} stays"}),
    )
    await gone(office, rows, graph, "mia", "ben", "kim")
    await gone(office, rows, graph, "ben", "kim")
    assert "WorkingMemory" in await holding(office, rows, WORDS["kim"])


async def test_an_erasure_that_was_stopped_between_a_call_and_its_result_keeps_the_result(
    office: Office, graph: Graph, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_small(monkeypatch, 3)
    await begun(office)
    await recorded(office, called("c1", {"for": "all"}, **ALL))
    for number in range(6):
        await recorded(office, asked(f"k{number}", WORDS["kim"], "kim", subject_ids=["u-kim"]))
    await recorded(office, answered("c1", {"of": "u-mia and u-ben", "more": "x" * LARGE}, **ALL))
    run, left = TakeOut._stretches, [4]

    async def stopped(self: TakeOut, *arguments: Any) -> Any:
        if self.erased_by is not None:
            left[0] -= 1
            if left[0] == 0:
                raise TimeoutError
        return await run(self, *arguments)

    monkeypatch.setattr(TakeOut, "_stretches", stopped)
    await gone(office, rows, graph, "mia", "kim")


@pytest.mark.parametrize("shown", ["Kind", "Text", "Parts"])
async def test_a_person_who_is_called_as_a_field_of_events_leaves_the_fields_as_they_are(
    office: Office, graph: Graph, rows: Rows, shown: str
) -> None:
    seats = [human("mia", display_name=shown), human("ben"), human("kim")]
    await office.platform.recorded(opened(user_id=None), *seats, agent(), at=AT)
    await recorded(office, replied("m1", f"u-mia met {WORDS['ben']} and {WORDS['kim']}.", **ALL))
    await gone(office, rows, graph, "mia", "ben", "kim")
    bodies = [row["body"] for row in await rows(PAYLOADS, t=office.platform.tenant_id)]
    [body] = [one for one in bodies if WORDS["kim"] in one]
    assert '"kind":"message"' in body and '"parts":[{' in body, body
    request = await office.asked("erase-ben", "u-ben")
    plan = await office.previewed("erase-ben")
    done = await office.approved("erase-ben", plan["plan_digest"])
    assert done["state"] == "fulfilled", (request, done)


async def test_a_seat_that_is_called_user_leaves_roles_as_they_are_and_a_rectification_goes_on(
    office: Office, graph: Graph, rows: Rows
) -> None:
    seats = [human("user", user_id="u-mia"), human("ben"), human("kim")]
    await office.platform.recorded(opened(user_id=None), *seats, agent(), at=AT)
    await recorded(office, asked("m1", f"u-mia met {WORDS['kim']}.", "ben", **ALL))
    await gone(office, rows, graph, "mia", "kim")
    bodies = [row["body"] for row in await rows(PAYLOADS, t=office.platform.tenant_id)]
    [body] = [one for one in bodies if WORDS["kim"] in one]
    assert '"role":"user"' in body, body
    await put_right(office, "ben", "right", event={"message_id": "m1"}, text="We met nobody.")


@in_stretches
async def test_summaries_of_two_branches_are_left_by_three_people_in_turn(
    office: Office, graph: Graph, rows: Rows, seqs: int
) -> None:
    await begun(office)
    await office.platform.configured({"compaction": {"lines_max": 8}})
    await recorded(office, human("lou"))

    async def talk(what: str, branch: str = "main") -> None:
        said = [
            replied(f"{what}{n}-{name}", f"{what} {n}: {word} is booked.", subject_ids=[f"u-{name}"])
            for n in range(5)
            for name, word in [*WORDS.items(), ("lou", "harbour")]
        ]
        await recorded(office, *said, branch=branch)

    await talk("one")
    await office.platform.compacted("fold1", at=AT)
    await talk("two")
    head = (await office.platform.recorded(replied("first-yes", "Yes."), at=AT))["events"][-1]["seq"]
    await recorded(office, forked("aside", head))
    await talk("three", "aside")
    await office.platform.compacted("fold2", "aside", at=AT)
    await talk("four")
    await office.platform.compacted("fold3", at=AT)
    await talk("five", "aside")
    await office.platform.compacted("fold4", "aside", at=AT)
    told = await office.platform.recorded(
        replied("second-yes", "Yes.", subject_ids=["u-lou"]), at=AT, branch="aside"
    )
    merge = {"kind": "merge", "from_branch_id": "aside", "from_seq": told["events"][-1]["seq"]}
    await recorded(office, merge)
    await talk("six")
    await office.platform.compacted("fold5", at=AT)
    harbours = "MATCH (l:SummaryLine {tenant_id: $t}) WHERE l.text CONTAINS 'harbour' RETURN count(l) AS n"
    await gone(office, rows, graph, "mia", "ben", "kim")
    first = await rows(harbours, t=office.platform.tenant_id)
    words = f"{WORDS['ben']} may sail."
    await put_right(office, "ben", "right", event={"message_id": "one2-ben"}, text=words)
    await gone(office, rows, graph, "ben", "kim")
    await gone(office, rows, graph, "kim")
    assert await rows(harbours, t=office.platform.tenant_id) == first


async def test_a_long_message_whose_end_is_put_right_ends(office: Office) -> None:
    await begun(office)
    long = "We sail along the coast and stop in every harbour. " * 40
    await recorded(office, asked("m1", f"{long} On Monday.", "mia"))
    await put_right(office, "mia", "right", event={"message_id": "m1"}, text=f"{long} On Tuesday.")
