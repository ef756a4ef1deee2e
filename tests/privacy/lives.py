"""What two people leave behind: Mia, whose every text is a canary, and Ben, who talks with her too."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any

from agent_platform import (
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

LARGE = 20_000
"""Characters above which a result is a blob."""


@dataclass
class Canaries:
    """Long random strings, each put into one field; `all` are those of Mia."""

    all: list[str] = field(default_factory=list)
    random_bytes: int = 20

    def __call__(self, where: str) -> str:
        """A new one, which says where it was put."""
        made = f"canary-{where}-{self._random(where)}"
        self.all.append(made)
        return made

    def _random(self, where: str) -> str:
        """Ids have at most 128 characters, names and tags 256."""
        long = {"text", "later", "aside", "answer", "argument", "result", "blob", "large", "fact", "pinned"}
        return secrets.token_hex(self.random_bytes if where in long else min(self.random_bytes, 40))


async def live(platform: Platform, new: Canaries, mia: str | None = None, nth: str = "") -> None:
    """Mia alone, with every kind of event; then Ben with her in his conversation, and Ben alone. `nth`
    tells the ids of one such life in a tenant from those of another."""
    at = new("conversation")
    mia, seat = mia or new("user"), new("seat")
    me = {"participant_id": seat, "user_id": mia, "display_name": new("name")}
    run, call, message = new("run"), new("call"), new("message")
    await platform.recorded(
        opened(user_id=mia, title=new("title")),
        human(**me),
        agent(),
        asked(message, new("text"), seat),
        ran(run, error=new("error")),
        called(call, {"what": new("argument")}, tool="look_up"),
        answered(call, {"found": new("result"), "more": new("blob") + "x" * LARGE}),
        called(new("call"), new("large") + "y" * LARGE),
        replied(new("message"), new("answer"), run_id=run),
        claimed(new("claim"), {"call_id": call}, text=new("claim"), value={"is": new("value")}),
        remembered(new("memory"), new("fact"), subject=new("subject"), by=seat),
        {
            "kind": "pin",
            "pin_id": new("pin"),
            "participant_id": seat,
            "pin_kind": "decision",
            "text": new("pinned"),
        },
        {"kind": "skill_state", "participant_id": "agent", "skills": [new("skill")]},
        {
            "kind": "working_memory",
            "participant_id": "agent",
            "block": new("block"),
            "expected_version": 0,
        },
        {"kind": "checkpoint", "checkpoint_id": new("checkpoint"), "participant_id": "agent", "run_id": run},
        asked(new("message"), new("later"), seat),
        at=at,
        idempotency_key=new("key"),
    )
    await platform.recorded(forked(new("branch"), title=new("branch")), at=at)
    made = await platform.assemble(by="agent", at=at)
    assert made.status_code == 201, made.text
    compacted = await platform.compact(new("compaction"), at=at)
    assert compacted.status_code == 201, compacted.text
    await platform.recorded(
        opened(user_id="u-ben"),
        human("ben"),
        human(**me),
        agent(),
        asked(f"b1{nth}", "Ben asks for a train.", "ben"),
        asked(new("message"), new("aside"), seat),
        replied(f"b2{nth}", "Ben's train leaves at nine."),
        called(f"b-call{nth}", {"train": "ICE"}),
        answered(f"b-call{nth}", {"train": "ICE 7"}),
        at=f"shared{nth}",
    )
    await platform.recorded(
        opened(user_id="u-ben"),
        human("ben"),
        agent(),
        asked(f"b3{nth}", "Ben alone.", "ben"),
        at=f"of-ben{nth}",
    )


async def texts_of(rows: Any, tenant_id: str) -> str:
    """Everything that the graph holds of a tenant, as one text."""
    nodes = await rows(
        "MATCH (n) WHERE n.tenant_id = $tenant_id RETURN labels(n)[0] AS label, properties(n) AS kept",
        tenant_id=tenant_id,
    )
    return "\n".join(f"{row['label']}: {row['kept']}" for row in nodes)
