"""Results that others have a part in, whose call is the person's alone: the result stays, the call goes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from service.graph import erasure
from service.graph.driver import Graph
from service.model.vocabulary import CallStatus
from service.storage.blobs import Blobs
from service.usecases.erasure.people import Person, Row
from service.usecases.recording.projection.tools import distilled


async def bare_notes(
    graph: Graph, blobs: Blobs, tenant_id: str, person: Person, shared: Sequence[list[Row]]
) -> dict[str, Row]:
    """What the memories of such results read without their calls: new properties by the memories' uids."""
    found: dict[str, Row] = {}
    for stretches in shared:
        reading = partial(
            erasure.list_bare_results.many,
            tenant_id=tenant_id,
            stretches=stretches,
            people=list(person.uids),
            seats=person.seats,
        )
        for row in await graph.read(reading):
            result = await _result(blobs, tenant_id, row["artifact"])
            found[row["uid"]] = _notes(row["artifact"], result)
    return found


async def _result(blobs: Blobs, tenant_id: str, artifact: Row) -> str | None:
    digest = artifact.get("result_blob")
    if digest is None:
        return artifact.get("result")
    return (await blobs.get(tenant_id, artifact["subject_uids"], digest)).decode()


def _notes(artifact: Row, result: str | None) -> Row:
    status, error = CallStatus(artifact["call_status"]), artifact.get("error")
    return distilled(artifact["tool_name"], "{}", result, status, error) | {"parameters": []}
