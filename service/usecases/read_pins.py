"""Read the pins that stand on a branch, as far as the asker may see them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from service.graph import assemblies
from service.graph.driver import Graph, Transaction
from service.graph.query import Row
from service.model.caller import Caller
from service.model.consistency import ConsistencyToken
from service.policies import attribution
from service.usecases.assembly.reading import read_state_row
from service.usecases.read_transcript import Opened, Place, open_branch


@dataclass(frozen=True, slots=True)
class ReadPins:
    """The use case."""

    graph: Graph

    async def __call__(
        self, caller: Caller, place: Place, token: ConsistencyToken
    ) -> tuple[Opened, list[dict[str, Any]]]:
        """The branch and its pins, oldest first. Raises NotFound."""

        async def work(tx: Transaction) -> tuple[Opened, list[dict[str, Any]]]:
            opened = await open_branch(tx, caller.tenant_id, place)
            row = await read_state_row(
                tx, caller.tenant_id, place.conversation_id, opened.lineage, opened.asker.uid
            )
            return opened, sorted(_told(row, opened), key=lambda pin: int(pin["seq"]))

        return await self.graph.read(work, token.bookmarks)


def _told(row: Row, opened: Opened) -> Iterator[dict[str, Any]]:
    """What is told of each pin; one of a message only where that message may be read."""
    names = {one["uid"]: one["participant_id"] for one in row["participants"]}
    asker = opened.asker
    shared = row["shared"]
    released = {s["uid"] for s in shared if opened.lineage.holds(s["branch_ref"], s["seq"])}
    for pin in row["pins"]:
        message = pin["message"]
        if all(
            attribution.may_read(one["uid"], assemblies.governance(one), asker, one["uid"] in released)
            for one in ([pin] if message is None else [pin, message])
        ):
            yield {
                "uid": pin["uid"],
                "pin_id": pin["pin_id"],
                "pin_kind": pin["pin_kind"],
                "participant_id": names.get(pin["participant_uid"]),
                "text": pin["text"],
                "message_id": message["message_id"] if message else None,
                "visibility": pin["visibility"],
                "seq": pin["seq"],
                "inherited": pin["branch_ref"] != opened.row["branch_ref"],
                "recorded_at": pin["recorded_at"].to_native(),
            }
