"""Where a person is named in what others recorded, and nobody said that it is about the person.

An erasure leaves such events as they are: somebody has to look whether the name means the person.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import partial
from typing import Any, Final

from service.graph import erasure
from service.graph.driver import Graph
from service.graph.proofs import all_logs
from service.text.redacting import NAME_CHARS_MIN, redacted, redactor
from service.usecases.erasure.people import Person, in_pieces

EVENTS_PER_PAGE: Final = 5_000
"""Seqs that one query looks at; it answers those that hold a name alone."""


async def find_mentions(graph: Graph, tenant_id: str, person: Person, names: Iterable[str]) -> list[str]:
    """Uids of all such events, by branch; a name is found as a whole word, in any case.

    Ids of seats are no names: `user` is in every text.
    """
    called = {one.strip() for one in (*names, *person.called)}
    called = {one for one in called if len(one) >= NAME_CHARS_MIN}
    if not called:
        return []
    redact = redactor(called)
    spelled = sorted(
        {text.lower() for one in called for text in (one, json.dumps(one, ensure_ascii=False)[1:-1])}
    )
    found: list[str] = []
    branches = (
        {"branch_ref": log["branch_ref"], "floor": log["base"], "ceiling": log["head"]}
        for log in await all_logs(graph, tenant_id)
    )
    for stretches in in_pieces(branches, EVENTS_PER_PAGE):
        reading = partial(
            erasure.list_mentions.many,
            tenant_id=tenant_id,
            stretches=stretches,
            people=list(person.uids),
            names=spelled,
        )
        for row in await graph.read(reading):
            body: Any = json.loads(row["body"])
            if redacted(body, redact) != body:
                found.append(row["uid"])
    return found
