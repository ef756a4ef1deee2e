"""A line that is cut at a resume's commit leaves all of it or nothing, and the retry answers."""

from __future__ import annotations

import secrets

import pytest
from agent_platform import OPENING, TRIP, ran
from bolt_cutter import bolt_cutter
from served import ADMIN_KEY, Rows
from wired_tenant import Tenant, Tenants

from service.embedded import Database
from service.errors import OutcomeUnknown
from service.graph.driver import Graph
from service.model.consistency import ConsistencyToken
from service.model.events import Batch
from service.storage.blobs import Blobs
from service.usecases.assembly.choosing import Where
from service.usecases.resume_checkpoint import NewRun
from service.wiring import wire

SAVED = {"kind": "checkpoint", "checkpoint_id": "k1", "participant_id": "agent", "run_id": "r1"}
HERE = Where(TRIP, "main", "agent")
RUN = NewRun("r2", None, None)
LOOK = """
MATCH (e:Event {tenant_id: $t})
RETURN count(e) AS events, COUNT { (:ModelRun {tenant_id: $t})-[:RESUMED_FROM]->() } AS resumed
"""


@pytest.mark.parametrize("swallow", [True, False], ids=["commit lost", "answer lost"])
async def test_a_resume_cut_at_its_commit_is_whole_or_not_there_and_its_retry_answers(
    neo4j_server: Database, tenants: Tenants, blobs: Blobs, rows: Rows, swallow: bool
) -> None:
    tenant: Tenant = await tenants.new()
    opening = {"conversation_id": TRIP, "events": [*OPENING, ran("r1"), SAVED]}
    await tenant.use.append_events(tenant.caller, Batch.model_validate(opening), None)
    async with (
        bolt_cutter(neo4j_server.uri) as cutter,
        Graph(cutter.uri, neo4j_server.user, neo4j_server.password, neo4j_server.name) as cut,
    ):
        use = wire(cut, blobs, secrets.token_bytes(32), ADMIN_KEY)
        cutter.armed, cutter.swallow, cutter.spared = True, swallow, 1  # the read before the write
        with pytest.raises(OutcomeUnknown):
            await use.resume_checkpoint(tenant.caller, "k1", HERE, RUN, "key", ConsistencyToken())
    assert cutter.cuts == 1
    written = 0 if swallow else 1
    assert await rows(LOOK, t=tenant.caller.tenant_id) == [{"events": 5 + 2 * written, "resumed": written}]
    for _ in range(2):
        state, _, _ = await tenant.use.resume_checkpoint(
            tenant.caller, "k1", HERE, RUN, "key", ConsistencyToken()
        )
        assert state["taken_up"]["run_id"] == "r2"
    assert await rows(LOOK, t=tenant.caller.tenant_id) == [{"events": 7, "resumed": 1}]
