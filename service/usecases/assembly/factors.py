"""What an assembly alone can count of the confidence that its answer will deserve: numbers, and no text.

The same JSON stands on an assembly's record and, for what a caller has given, on a judgement: a value from 0
to 1, or the two counts of a share.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from service.model.confidence import Known, Measured, Share
from service.model.verdict import Reason
from service.model.vocabulary import Factor, FactorSource
from service.policies.ranking import values
from service.text.search.pieces import pieces
from service.usecases.assembly.plan import Plan
from service.usecases.assembly.request import Candidates

BARRED = (
    *(Reason.PRIVACY_CLASS_BARRED, Reason.NOT_PROMOTED),
    *(Reason.RAW_NOT_RELEASED, Reason.TOO_LARGE_TO_REHYDRATE),
)
"""Reasons for which a rule keeps out what the asker may see and what would have been of use."""


def counted(candidates: Candidates, plan: Plan, selected: int) -> dict[Factor, Known]:
    """What one plan says of each factor, of which `selected` items went in. A share of nothing is left out.

    Retrieval: how well the best piece of knowledge fits, where there was any to look through. Policy: of
    items that entered or were barred, those that entered. Completeness: of the values that the newest request
    names, those that something else in the context names too. Memory: of the tool memories that entered,
    those that are not stale.
    """
    barred = sum(len(uids) for reason, uids in plan.omissions.by_reason.items() if reason in BARRED)
    request = plan.exchange.request
    named = [value for value, _ in values(request.text)] if request else []
    told = "\n".join(_texts(plan)) if named else ""
    memories = [memory.uid for memory, _ in plan.memories]
    shares = {
        Factor.POLICY: Share(selected, selected + barred),
        Factor.COMPLETENESS: Share(sum(value in told for value in named), len(named)),
        Factor.MEMORY: Share(sum(uid not in plan.flags.stale for uid in memories), len(memories)),
    }
    known: dict[Factor, Known] = {factor: share for factor, share in shares.items() if share.among}
    if candidates.searched:
        known[Factor.RETRIEVAL] = max((passage.fit for passage in candidates.passages), default=0.0)
    return known


def as_json(known: Mapping[Factor, Known]) -> str:
    """As it is stored."""
    return json.dumps(
        {
            factor.value: [one.of, one.among] if isinstance(one, Share) else one
            for factor, one in known.items()
        }
    )


def measured(stored: str | None, source: FactorSource) -> dict[Factor, Measured]:
    """What is stored, with where it comes from."""
    found = json.loads(stored or "{}").items()
    return {
        Factor(name): Measured(Share(*one) if isinstance(one, list) else float(one), source)
        for name, one in found
    }


def _texts(plan: Plan) -> Iterator[str]:
    """What the context says beside the request."""
    exchange = plan.exchange
    for memory, records in plan.memories:
        yield memory.headline
        yield from (memory.records[at] for at in records)
    for memory in exchange.exact:
        yield memory.headline
        yield from memory.records
    for call in exchange.unseen:
        yield from (call.arguments, call.result or "")
    for message, chosen in plan.recalled:
        yield from [message.text] if chosen is None else (pieces(message.text)[at] for at in chosen)
    yield from (message.text for message in plan.window)
    yield from (line.text for line in plan.history)
    yield from (note.text for note in plan.notes)
    yield from (pin.text for pin in exchange.pins)
    if exchange.working_memory is not None:
        yield from (*exchange.working_memory.fields.values(), exchange.working_memory.block or "")
