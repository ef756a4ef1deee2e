"""Compaction: older turns become lines of a summary by an event, and nothing is lost."""

from __future__ import annotations

from typing import Any

from agent_platform import OPENING, Json, Platform, asked, replied, shown
from test_transcript import transcript


async def compacted(platform: Platform, compaction_id: str = "k1", branch: str = "main", **more: Any) -> Json:
    body = {"conversation_id": "trip", "compaction_id": compaction_id, **more}
    response = await platform.send("POST", f"/v1/branches/{branch}/compact", body)
    assert response.status_code == 201, response.text
    return response.json()


async def test_older_turns_become_lines(platform: Platform) -> None:
    await platform.recorded(
        *OPENING,
        asked("m1", "I fly from Zürich to Oslo on 2026-05-04."),
        replied("m2", "We decided on flight HAT022. It has 12 seats."),
        asked("m3", "And what is next?"),
    )
    made = await compacted(platform, keep_tokens=0)
    read = await transcript(platform)
    print(read)
    print(made)
    context = await platform.assembled(4000, profile="thorough")
    print(shown(context))
    assert 0
