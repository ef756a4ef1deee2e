"""A person's cascade: what is the person's alone is gone, what others have stays, and the preview said so."""

from __future__ import annotations

from datetime import UTC, datetime

from agent_platform import Platform
from lives import Canaries, live, texts_of
from served import Rows

from service.graph.driver import Graph, Transaction
from service.ids import new_uid
from service.usecases.erasure.cascade import Cascade
from service.usecases.erasure.people import find_person
from service.usecases.erasure.tally import Counts, Tally

NOW = datetime(2026, 3, 1, tzinfo=UTC)


NOTE = (
    "MATCH (e:Event) UNWIND e.subject_uids AS uid WITH DISTINCT e.branch_ref AS ref, uid "
    "MATCH (b:Branch {branch_ref: ref}) MATCH (c:Conversation {uid: b.conversation_uid}) "
    "MATCH (u:User {uid: uid}) MERGE (u)-[:SUBJECT_OF]->(c)"
)


async def note_subjects(graph: Graph) -> None:
    async def work(tx: Transaction) -> None:
        await tx.run(NOTE)

    await graph.write(work)


async def told(cascade: Cascade) -> Counts:
    """All that a cascade says it did, or would do."""
    whole = Tally()
    async for tally in cascade.run():
        whole.merge(tally)
    return whole.counts()


async def test_what_is_a_persons_alone_is_gone_as_the_preview_said(
    platform: Platform, graph: Graph, rows: Rows
) -> None:
    new = Canaries()
    await live(platform, new)
    await note_subjects(graph)
    before = await texts_of(rows, platform.tenant_id)
    assert [one for one in new.all if one not in before and "blob" not in one and "large" not in one] == []
    mia = await find_person(graph, platform.tenant_id, [next(c for c in new.all if "-user-" in c)])
    preview = await told(Cascade(graph, platform.tenant_id, mia, NOW))
    assert await texts_of(rows, platform.tenant_id) == before
    done = await told(Cascade(graph, platform.tenant_id, mia, NOW, erased_by=new_uid()))
    after = await texts_of(rows, platform.tenant_id)
    assert [one for one in new.all if one in after] == []
    assert preview == done
    assert "Ben asks for a train." in after and "ICE 7" in after
    again = await told(Cascade(graph, platform.tenant_id, mia, NOW, erased_by=new_uid()))
    assert again["nodes"] == {}
