"""Replay a recorded assembly: the same choice over the same graph state, or under another configuration."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import Any

from service.errors import NotFound, RuntimeGraphError
from service.graph import assemblies
from service.graph.driver import Graph
from service.model.caller import Caller
from service.model.candidates import Placed
from service.model.vocabulary import ProfileSource, RuntimeKind
from service.usecases.assembly.choosing import AsOf, Chooser, Chosen, Wanted, Where
from service.usecases.assembly.record import ASSEMBLER_VERSION, HIDDEN

ASKED = ProfileSource.REQUEST.value
KEPT_WITH_TALK = (
    *("message", "tool_call", "tool_memory", "tool_artifact", "recheck_hint", "summary_line", "user_memory"),
    *("pin", "working_memory", "skill_state", "checkpoint"),
)
"""Kinds of items that stay while what was said does; others, such as insights, are made anew each day."""
Items = dict[str, list[str]]
"""Uids by section, in order."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A stored assembly as it was asked for."""

    record: dict[str, Any]
    where: Where
    wanted: Wanted
    as_of: AsOf
    memories: list[dict[str, Any]]
    passages: list[dict[str, Any]]
    decisions: list[dict[str, Any]]


async def read_recorded(
    graph: Graph, caller: Caller, assembly_id: str, bookmarks: tuple[str, ...] = ()
) -> Recorded:
    """The stored assembly with this id. Raises NotFound."""
    row = await graph.read(
        lambda tx: assemblies.read_assembly.one(tx, tenant_id=caller.tenant_id, assembly_id=assembly_id),
        bookmarks=bookmarks,
    )
    if row is None or None in row["where"].values():
        raise NotFound("assembly")
    record = row["assembly"]
    return Recorded(
        record=record,
        where=Where(**row["where"]),
        wanted=Wanted(
            provider=record["provider"],
            model=record.get("model"),
            runtime_kind=RuntimeKind(record["runtime_kind"]),
            budget_tokens=record["budget_tokens"],
            profile=record["profile"] if record.get("profile_source", ASKED) == ASKED else None,
            tools={name: tuple(names) for name, names in json.loads(record["tools"]).items()},
            tools_tokens=record["tools_tokens"],
            exact=tuple(record["exact"]),
            question=record.get("question"),
        ),
        as_of=AsOf(record["head"], record["created_at"].to_native(), record["configuration_number"]),
        memories=row["memories"],
        passages=row["passages"],
        decisions=row["decisions"],
    )


def chosen_items(chosen: Chosen) -> dict[str, list[str]]:
    """Uids of a plan by section, in order."""
    plan = chosen.plan
    exchange = plan.exchange
    current: tuple[Placed, ...] = (*exchange.spoken(), *exchange.unseen)
    found = {
        "working_memory": [item.uid for item in exchange.state()],
        "tool_memories": [memory.uid for memory, _ in plan.memories]
        + [m.uid for m in exchange.exact]
        + [hint.uid for hint in plan.hints],
        "recalled_messages": [message.uid for message, _ in plan.recalled],
        "recent_window": [message.uid for message in plan.window],
        "recovery": [item.uid for item in exchange.recovery()],
        "current_exchange": [item.uid for item in current],
    }
    for note in plan.notes:
        found.setdefault(note.section.value, []).append(note.uid)
    return {section: uids for section, uids in found.items() if uids}


def recorded_items(record: dict[str, Any]) -> dict[str, list[str]]:
    """Uids of a stored assembly by section, in order."""
    sections = json.loads(record["sections"])
    return {s["section"]: [item[0] for item in s["items"]] for s in sections if s["items"]}


async def gone_since(graph: Graph, tenant_id: str, record: dict[str, Any]) -> set[str]:
    """Uids of what a stored assembly had, or left out, and is there no longer: it was erased since, say.

    What was private to others is among them: see `shown_gone`.
    """
    had = {
        item[0] for s in json.loads(record["sections"]) for item in s["items"] if item[1] in KEPT_WITH_TALK
    }
    named = had.union(*(entry["uids"] for entry in json.loads(record["omissions"])))
    rows = await graph.read(partial(assemblies.list_left.many, tenant_id=tenant_id, uids=sorted(named)))
    return named - {row["uid"] for row in rows}


@dataclass(frozen=True, slots=True)
class ReplayAssembly:
    """The use case with what it works on."""

    graph: Graph
    chooser: Chooser

    async def __call__(
        self, caller: Caller, assembly_id: str, configuration_number: int | None = None
    ) -> dict[str, Any]:
        """Choose again as it was recorded, or under another version of the configuration, and compare.

        `reproducible` is false, with the reasons, where code or settings of the record are gone. Raises
        NotFound.
        """
        recorded = await read_recorded(self.graph, caller, assembly_id)
        other = configuration_number is not None
        as_of = AsOf(
            recorded.as_of.head,
            recorded.as_of.now,
            recorded.as_of.configuration_number if configuration_number is None else configuration_number,
        )
        chosen = await self.chooser.choose(
            caller.tenant_id, assembly_id, recorded.where, recorded.wanted, as_of
        )
        gone = await gone_since(self.graph, caller.tenant_id, recorded.record)
        return self._compared(recorded, chosen, other, gone)

    async def what_would_change(
        self, caller: Caller, configuration_number: int, recent: int
    ) -> dict[str, Any]:
        """The `recent` newest assemblies under a version. Raises NotFound for a version that is not there."""
        await self.chooser.configurations.show(caller, configuration_number)
        rows = await self.graph.read(
            lambda tx: assemblies.list_recent.many(tx, tenant_id=caller.tenant_id, limit=recent)
        )
        changes: list[dict[str, Any]] = []
        for row in rows:
            try:
                changes.append(await self(caller, row["assembly_id"], configuration_number))
            except RuntimeGraphError as refused:
                changes.append({"assembly_id": row["assembly_id"], "same": False, "refused": refused.code})
        return {
            "configuration_number": configuration_number,
            "compared": len(changes),
            "changed": sum(not change["same"] for change in changes),
            "assemblies": changes,
        }

    def _compared(self, recorded: Recorded, chosen: Chosen, other: bool, erased: set[str]) -> dict[str, Any]:
        record = recorded.record
        before, after = _without(recorded_items(record), erased), chosen_items(chosen)
        loosely = bool(erased) and not other
        diff = _lost(before, after) if loosely else _diff(before, after)
        gone = ["erased"] if erased else []
        if record["assembler_version"] != ASSEMBLER_VERSION:
            gone.append("assembler_version")
        if not other and record["policy_version"] != chosen.policy_version:
            gone.append("policy_version")
        query = chosen.candidates.query
        if record.get("embedding_model") != (query.model if query else None):
            gone.append("embedding_model")
        omissions = json.loads(record["omissions"])
        counts = {o["reason"]: o["count"] - len(erased.intersection(o["uids"])) for o in omissions}
        reasons = {reason: count for reason, count in counts.items() if count}
        now = {str(reason): len(uids) for reason, uids in chosen.plan.omissions.by_reason.items()}
        return {
            "assembly_id": record["uid"],
            "reproducible": not gone,
            "not_reproducible_because": gone,
            "same": not diff and (loosely or (before == after and reasons == now)),
            "erased": shown_gone(record, erased),
            "recorded_policy_version": record["policy_version"],
            "policy_version": chosen.policy_version,
            "head": recorded.as_of.head,
            "configuration_number": chosen.asked.configuration_number,
            "diff": diff,
            "omissions_recorded": _shown(reasons),
            "omissions_replayed": _shown(now),
        }


def _diff(before: Items, after: Items) -> dict[str, Items]:
    """By section, what only one of them has."""
    return {
        section: {
            "only_recorded": [u for u in before.get(section, []) if u not in after.get(section, [])],
            "only_replayed": [u for u in after.get(section, []) if u not in before.get(section, [])],
        }
        for section in {**before, **after}
        if set(before.get(section, [])) != set(after.get(section, []))
    }


def _lost(before: Items, after: Items) -> dict[str, Items]:
    """By section, what is in none now. What was erased left its room to others, which makes no difference."""
    chosen = {uid for uids in after.values() for uid in uids}
    lost = {section: [uid for uid in uids if uid not in chosen] for section, uids in before.items()}
    return {section: {"only_recorded": uids, "only_replayed": []} for section, uids in lost.items() if uids}


def shown_gone(record: dict[str, Any], gone: set[str]) -> list[str]:
    """Those that a caller may see: without what was left out as private to others."""
    omissions = json.loads(record["omissions"])
    return sorted(gone.difference(*(one["uids"] for one in omissions if one["reason"] in HIDDEN)))


def _without(items: Items, erased: set[str]) -> Items:
    left = {section: [uid for uid in uids if uid not in erased] for section, uids in items.items()}
    return {section: uids for section, uids in left.items() if uids}


def _shown(reasons: dict[str, int]) -> dict[str, int]:
    """Without what is private to others: not even its number is told."""
    return {reason: count for reason, count in reasons.items() if reason not in HIDDEN}
