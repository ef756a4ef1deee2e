"""Random tenants, one person after the other erased: nobody else is touched, and everything that is counted
adds up.

RUNTIME_GRAPH_SLOW=1 makes 500 tenants and 1,000 erasures; the short lane makes 50 and 100.
"""

from __future__ import annotations

import os
import random
import re
from collections import Counter
from typing import Any

import pytest
from agent_platform import Json
from officers import Office, cut_small
from random_tenants import MAIN, Person, RandomTenant, Talk
from served import Rows
from whole_graph import Seen, touched

from service.clock import SystemClock
from service.graph.driver import Graph
from service.log.kept_heads import KeptHeads
from service.log.proofs import proves_inclusion
from service.usecases.manage_signing_key import load_signer, trusted_keys
from service.usecases.sign_tree_heads import SignTreeHeads
from service.usecases.verify_log import VerifyLog

SLOW = os.environ.get("RUNTIME_GRAPH_SLOW") == "1"
SEEDS = range(500 if SLOW else 50)
ERASED = 2
"""People that are erased from each tenant."""
WEIGHTS = """
MATCH (q:Query {tenant_id: $t})
OPTIONAL MATCH (q)-[e:SEARCHED_FOR|ASKED_ABOUT]->()
RETURN q.uid AS uid, COUNT { (q)-[:DERIVED_FROM]->(:Message) } AS times,
       COUNT { (q)-[:ANSWERED_BY]->() } AS answers, collect(DISTINCT e.initial_weight) AS weights
"""
ASKERS = """
MATCH (i:Insight {tenant_id: $t})
WHERE i.valid_until > datetime() AND i.insight_kind = 'popular_product'
MATCH (i)-[:DERIVED_FROM]->(:Product)<-[:SEARCHED_FOR]-(:Query)-[:DERIVED_FROM]->(m:Message)
MATCH (p:Participant {uid: m.participant_uid})
RETURN i.uid AS uid, i.asker_count AS told, count(DISTINCT coalesce(p.user_uid, m.conversation_uid)) AS askers
"""


@pytest.mark.parametrize("seed", SEEDS)
async def test_who_is_erased_is_gone_and_nobody_else_is_touched(
    office: Office, graph: Graph, rows: Rows, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    if seed % 2:  # what belongs together lies in several stretches
        cut_small(monkeypatch, 7)
    services = office.first.http._transport.app.state.services  # type: ignore[attr-defined]
    tenant = await RandomTenant(office.platform, chance, services.learning.settled).made()
    keys = office.custody.keys_folder
    kept = KeptHeads(keys / f"heads-{office.platform.tenant_id}")
    signer = load_signer(keys)
    sign = SignTreeHeads(graph, SystemClock(), signer, trusted_keys(keys), kept, 1000)
    verify = VerifyLog(graph, trusted_keys(keys), kept, office.custody.ledger)
    gone: list[Person] = []
    seen = await Seen.of(rows, office.platform.tenant_id)
    known = [person for person in tenant.people if seen.naming(person.user_id)]
    for person in chance.sample(known, min(ERASED, len(known))):
        await sign(tenant_id=office.platform.tenant_id)
        others = [talk for talk in tenant.talks if not talk.involves(person) and not _is_gone(talk, gone)]
        proofs = await _proofs(office, others)
        contexts = _without(person.word, await _contexts(office, others))
        before = await Seen.of(rows, office.platform.tenant_id)
        listed = await _erase(office, person, f"erase-{person.name}")
        after = await Seen.of(rows, office.platform.tenant_id)
        assert touched(before, after, person.user_id, listed) == []
        gone.append(person)
        await _nothing_is_left(office, after, gone)
        await _large_bytes_are_there(office, after)
        for old, new in zip(contexts, await _contexts(office, others), strict=True):
            assert new == old
        assert all(proves_inclusion(proof, trusted_keys(keys)) for proof in proofs)
        for old, new in zip(proofs, await _proofs(office, others), strict=True):
            assert (old["envelope"], old["inclusion_path"]) == (new["envelope"], new["inclusion_path"])
        verdict = await verify(office.platform.tenant_id)
        assert verdict.is_sound, verdict
        await _support_is_right(rows, office.platform.tenant_id)


def _is_gone(talk: Talk, gone: list[Person]) -> bool:
    return any(talk.involves(one) for one in gone)


async def _erase(office: Office, person: Person, request_id: str) -> set[str]:
    """Answers the events of others that were listed for review."""
    done = await office.erased(person.user_id, request_id)
    assert (done["state"], done["stage"]) == ("fulfilled", "done"), done
    plan, receipt = done["plan"], done["receipt"]
    assert receipt["nodes"] == plan["counts"]["nodes"]
    assert receipt["edges"] == plan["counts"]["edges"]
    told = {name: store["number"] for name, store in receipt["stores"].items()}
    planned = Counter(plan["counts"]["stores"])
    for name in ("blob_bytes", "derived"):
        planned.pop(name, None)
    assert told == dict(planned)
    assert (receipt["redacted"], receipt["derived"]) == (plan["redacted"], plan["derived"])
    assert receipt["shared_before"] == receipt["shared_after"]
    return set(plan["review"])


async def _nothing_is_left(office: Office, after: Seen, gone: list[Person]) -> None:
    stores = {"graph": after.text()}
    tenant_id = office.platform.tenant_id
    async for path, _, opened in office.custody.blobs.walk(tenant_id):
        stores[path] = (opened or b"").decode()
        assert stores[path], "every blob that is left can be opened"
    for person in gone:
        assert [name for name, text in stores.items() if person.word in text] == [], after.where(person.word)
        assert after.naming(person.user_id) == []


async def _large_bytes_are_there(office: Office, after: Seen) -> None:
    """Whatever names a blob can open it with the key of its people, and nobody else's lie about."""
    named = set()
    for _, kept in after.nodes.values():
        for name in ("arguments_blob", "result_blob"):
            if kept.get(name):
                named.add((frozenset(kept["subject_uids"]), kept[name]))
    for people, digest in named:
        assert await office.custody.blobs.get(office.platform.tenant_id, people, digest)


async def _contexts(office: Office, talks: list[Talk]) -> list[Any]:
    """What a model reads on every branch that the person has no part in; what people want is counted anew."""
    contexts = []
    for talk in talks:
        for branch in sorted(talk.heads):
            made = await office.platform.assembled(20_000, at=talk.id, branch=branch, by="agent")
            shown = [
                FENCE.sub("data", one["text"]) for one in made["sections"] if one["section"] not in LEARNED
            ]
            contexts.append((talk.id, branch, shown))
    return contexts


def _without(word: str, contexts: list[Any]) -> list[Any]:
    """The same without the lines that hold a word, and without a heading that is all that is left: what
    somebody said of others goes with who said it."""
    line, heading = re.compile(rf"^.*{word}.*\n", re.MULTILINE), re.compile(r"[^\n]*:\n\s*")
    left = [(*place, [(text, line.sub("", text)) for text in shown]) for *place, shown in contexts]
    return [
        (*place, [new for text, new in shown if new == text or not heading.fullmatch(new)])
        for *place, shown in left
    ]


LEARNED = ("insights", "knowledge_passages")
FENCE = re.compile(r"data-\d+")
"""Of each context's own."""


async def _proofs(office: Office, talks: list[Talk]) -> list[Json]:
    """That an event of each conversation is in its log."""
    found = []
    for talk in talks:
        path = f"/v1/branches/{MAIN}/log/inclusion?conversation_id={talk.id}&seq=2"
        answer = await office.platform.send("GET", path)
        assert answer.status_code == 200, answer.text
        found.append(answer.json())
    return found


async def _support_is_right(rows: Rows, tenant_id: str) -> None:
    for row in await rows(WEIGHTS, t=tenant_id):
        assert row["times"] and row["answers"], row
        assert row["weights"] in ([], [row["times"]]), row
    for row in await rows(ASKERS, t=tenant_id):
        assert row["told"] == row["askers"], row
