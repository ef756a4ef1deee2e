"""Beside many other tenants, whose texts are nearer to what is asked, nothing is answered otherwise."""

from __future__ import annotations

import pytest

from bench.foreign import DOCUMENTS, KNOWN, NOW, QUESTIONS, STRANGER, Crowded, crowded, record
from bench.harness import fresh_tenant, running_service_at
from service.clock import FixedClock

NODES = 100_000


@pytest.fixture(scope="module")
async def found() -> Crowded:
    """In a database of its own: others would have to read past a hundred thousand nodes."""
    with running_service_at(FixedClock(NOW)) as running:
        async with fresh_tenant(running) as tenant:
            await record(tenant)
            return await crowded(running, tenant, NODES)


async def test_a_hundred_thousand_foreign_nodes_change_no_answer(found: Crowded) -> None:
    assert found.nodes >= NODES
    assert found.before.keys() == {
        (kind, question) for kind in ("assemble", "memories", "documents") for question in QUESTIONS
    }
    for asked, answer in found.before.items():
        assert found.after[asked] == answer, asked


async def test_the_answers_that_are_compared_hold_what_the_tenant_has_and_nothing_of_strangers(
    found: Crowded,
) -> None:
    for (kind, _), answer in found.after.items():
        assert STRANGER not in answer
        if kind != "documents":
            assert all(value in answer for _, _, value in KNOWN)
    bags, refunds = (title for _, title, _ in DOCUMENTS)
    assert bags in found.after["documents", QUESTIONS[1]] and bags in found.after["assemble", QUESTIONS[1]]
    assert refunds in found.after["documents", QUESTIONS[3]]
