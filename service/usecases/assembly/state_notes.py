"""Lines about what is neither talk nor results: pins, loaded skills, working memory, open calls, failures, a
checkpoint."""

from __future__ import annotations

from collections.abc import Sequence

from service.model.candidates import (
    CallCandidate,
    Checkpoint,
    PinCandidate,
    Release,
    SkillState,
    Speaker,
    WorkingMemory,
)
from service.policies.recheck import HINTED, Hint
from service.text import fence
from service.text.distil.values import one_line
from service.text.notes import noted_lines


def pin_line(pin: PinCandidate) -> str:
    """A pin, word for word but for the look-alikes of a fence."""
    return fence.strip(f"@{pin.place[0]} pinned {pin.kind.value}: {pin.text}") + "\n"


def skills_line(state: SkillState) -> str:
    """What is loaded, without what is not."""
    named = {
        "skills": state.skills,
        "profiles": state.profiles,
        "tools": state.direct_tools,
        "integrations": state.integrations,
    }
    loaded = "; ".join(f"{what} {', '.join(names)}" for what, names in named.items() if names)
    return fence.strip(f"loaded: {loaded or 'nothing'}") + "\n"


def working_memory_lines(memory: WorkingMemory, template: Sequence[str]) -> str:
    """What is noted down, in the template's order, then what that does not have; with the version that a
    patch expects."""
    names = dict.fromkeys((*template, *sorted(memory.fields)))
    fields = ((name, memory.fields[name]) for name in names if name in memory.fields)
    heading = f"@{memory.place[0]} noted down, version {memory.version}:\n"
    return fence.strip(heading + noted_lines(fields, memory.block))


def open_call_line(call: CallCandidate) -> str:
    """A call without an answer."""
    called = fence.strip(f"{call.tool_name}({call.arguments_text()})")
    return f"@{call.place[0]} {called} {call.status.value}, no result yet\n"


def failure_line(release: Release, speakers: dict[str, Speaker]) -> str:
    """A subagent that did not complete."""
    child = speakers.get(release.child_uid)
    told = f": {release.summary}" if release.summary else ""
    name = child.name if child else "a subagent"
    return fence.strip(f"@{release.place[0]} subagent {name} {release.outcome.value}{told}") + "\n"


def hint_line(hint: Hint) -> str:
    """What stands for a memory that stays out: its tool, its age, and that the tool can be asked again."""
    memory = hint.memory
    tool, again = (fence.strip(one_line(name, 80)) for name in (memory.tool_name, hint.recheck_tool))
    seen = f"{memory.observed_at:%Y-%m-%d %H:%M}Z"
    return f"@{memory.place[0]} {tool}: result of {seen} {HINTED[hint.reason]}, recheck with {again}\n"


def checkpoint_line(checkpoint: Checkpoint) -> str:
    """Where a continuation starts from."""
    parts = [f"continuing from the checkpoint at @{checkpoint.place[0]}"]
    if checkpoint.pending_call_ids:
        parts.append(f"then pending: {', '.join(checkpoint.pending_call_ids)}")
    if checkpoint.budgets:
        parts.append(f"budgets: {', '.join(checkpoint.budgets)}")
    return fence.strip("; ".join(parts)) + "\n"
