"""What stories of compaction share: a talk, the marks of a transcript, and the way back from a line."""

from __future__ import annotations

from typing import Any

from agent_platform import Json, Platform, answered, asked, called, ran, replied

TALK = (
    asked("m1", "I fly from Zürich to Oslo on 2026-05-04. Window seat, please."),
    replied("m2", "Thanks! I chose flight HAT022 for you. It has twelve rows."),
    ran("r1"),
    called("c1", {"flight": "HAT022"}, tool="get_seats"),
    answered("c1", {"free": ["12A", "14F"]}),
    called("c2", {"flight": "HAT022"}, tool="get_meals"),
    answered("c2", None, call_status="failed", error="the caterer does not answer"),
    replied("m3", "12A and 14F are free. Which one do you like?"),
)
"""Eight events, so seqs 4 to 11 after the opening; the first message that follows is the newest request."""


async def marks(platform: Platform, branch: str = "main", **query: Any) -> list[Json]:
    """The compactions of a branch's transcript."""
    read = await platform.read(f"/v1/branches/{branch}/transcript", limit=500, **query)
    return [entry for entry in read["entries"] if entry["kind"] == "compaction"]


async def behind(platform: Platform, line: Json, **query: Any) -> list[Json]:
    """What a summary line stands for."""
    return (await platform.read(f"/v1/summary-lines/{line['uid']}", **query))["items"]
