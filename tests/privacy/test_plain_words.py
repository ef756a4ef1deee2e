"""A person whose ids are plain words: others' use of these words is no residue."""

from __future__ import annotations

from agent_platform import agent, answered, asked, called, human, opened, replied
from officers import Office


async def test_ids_that_are_everybodys_words_keep_no_erasure_from_its_end(office: Office) -> None:
    seat = {"participant_id": "user", "user_id": "person"}
    await office.platform.recorded(
        opened(user_id="person"), human(**seat), agent(), asked("question", "To the user.", "user"), at="talk"
    )
    for number in range(3):
        await office.platform.recorded(
            asked(f"question-{number}", f"question {number}: a train that leaves after lunch", "user"),
            called(f"call-{number}", {"turn": number}, tool="search_trains"),
            answered(f"call-{number}", {"train": number, "price": 40}),
            replied(f"answer-{number}", f"answer {number}: the train leaves after lunch"),
            at="talk",
        )
    done = await office.erased("person")
    assert done["state"] == "fulfilled", done
