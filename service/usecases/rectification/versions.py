"""Versions of a working memory after one of them was put right: each is what was noted down up to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from service.model.chain import canonical
from service.model.events.redaction import inner_body
from service.model.lineage import Lineage
from service.model.vocabulary import Label
from service.text.tokens import Tokenizer
from service.usecases.erasure.nodes import with_costs
from service.usecases.erasure.people import Row


def retold_versions(
    versions: Sequence[Row], bodies: Mapping[str, Row], wrong: Row, tokenizer: Tokenizer
) -> list[Row]:
    """Other properties of the version that was wrong and of those that go on from it, on whatever branch.

    `versions` are one participant's in a conversation, oldest first; `bodies` say what corrected events say.
    """
    nodes = []
    for version in versions:
        kept = version["kept"]
        lineage = Lineage.of_row(version, kept["seq"])
        if lineage.holds(wrong["branch_ref"], wrong["seq"]):
            before = [one for one in versions if lineage.holds(one["branch_ref"], one["kept"]["seq"])]
            new = with_costs(Label.WORKING_MEMORY, _noted(before, bodies), kept, tokenizer)
            nodes.append({"uid": kept["uid"], "properties": new})
    return nodes


def _noted(versions: Sequence[Row], bodies: Mapping[str, Row]) -> Row:
    fields: dict[str, str] = {}
    block: str | None = None
    for one in versions:
        if one["body"] is None:
            continue
        body = bodies.get(one["event_uid"]) or inner_body(one["body"])
        if body.get("fields") is None:
            block = body.get("block")
        else:
            patched = fields | body["fields"]
            fields = {name: value for name, value in patched.items() if value is not None}
    return {"fields": canonical(fields), "block": block}
