"""Proofs over the API hold with a public key alone, and prove nothing when anything in them is changed."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

import pytest
from agent_platform import TRIP, Platform, asked, problem
from notary import NewNotary, Notary
from test_tampering import flipped

from service.log.proofs import proves_consistency, proves_inclusion
from service.log.tree_heads import TreeHead, read_public_keys
from service.usecases.manage_signing_key import public_pem


async def get(platform: Platform, what: str, branch: str = "main", at: str = TRIP, **query: int) -> Any:
    """An answer of the log's routes."""
    asked_for = "&".join(f"{name}={value}" for name, value in {"conversation_id": at, **query}.items())
    return await platform.send("GET", f"/v1/branches/{branch}/log/{what}?{asked_for}")


def changes(answer: Any) -> Iterator[Any]:
    """The answer with each of its values changed in turn."""

    def walk(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        if isinstance(value, dict | list):
            for key in value if isinstance(value, dict) else range(len(value)):
                yield from walk(value[key], (*path, key))
        elif value is not None:
            yield path

    for path in walk(answer, ()):
        changed = copy.deepcopy(answer)
        holder = changed
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = flipped(holder[path[-1]], random.Random(str(path)))
        yield changed


async def test_the_newest_head_is_answered_and_its_signature_holds(untouched: Notary) -> None:
    keys = read_public_keys(public_pem(untouched.keys))
    for branch, seq, size in (("main", 11, 11), ("child", 7, 2), ("empty", 3, 0)):
        answer = (await get(untouched.platform, "head", branch)).json()
        head = TreeHead.of(answer)
        assert (head.seq, head.tree_size, head.is_signed_by(keys)) == (seq, size, True)


async def test_every_event_of_a_lineage_has_a_proof_against_a_signed_head(untouched: Notary) -> None:
    keys = read_public_keys(public_pem(untouched.keys))
    owners = []
    for seq in range(1, 8):
        answer = (await get(untouched.platform, "inclusion", "grandchild", seq=seq)).json()
        assert proves_inclusion(answer, keys)
        assert answer["envelope"]["seq"] == seq
        owners.append(answer["envelope"]["branch_uid"])
    assert len(set(owners[:5])) == 1
    assert len(set(owners)) == 3, "inherited events are in the trees of those that recorded them"


async def test_a_changed_inclusion_proof_proves_nothing(untouched: Notary) -> None:
    keys = read_public_keys(public_pem(untouched.keys))
    answer = (await get(untouched.platform, "inclusion", seq=4)).json()
    assert proves_inclusion(answer, keys)
    assert [one for one in changes(answer) if proves_inclusion(one, keys)] == []
    assert not proves_inclusion(answer, {})
    assert not proves_inclusion({}, keys)


async def test_the_log_proves_that_it_goes_on_from_each_earlier_head(notary: Notary) -> None:
    platform = notary.platform
    await platform.recorded(*(asked(f"p{number}", "x") for number in range(20)))
    await notary.sign(every_events=7)
    keys = read_public_keys(public_pem(notary.keys))
    seqs = [9, 11, 14, 21, 28, 31]
    for first in seqs:
        answer = (await get(platform, "consistency", first_seq=first)).json()
        assert (answer["first"]["seq"], answer["second"]["seq"]) == (first, 31)
        assert proves_consistency(answer, keys)
    answer = (await get(platform, "consistency", first_seq=11, second_seq=21)).json()
    assert proves_consistency(answer, keys)
    assert [one for one in changes(answer) if proves_consistency(one, keys)] == []
    assert not proves_consistency(answer | {"second": answer["first"]}, keys)
    assert not proves_consistency({}, keys)


async def test_an_empty_fork_is_the_beginning_of_what_is_recorded_on_it(notary: Notary) -> None:
    await notary.platform.recorded(asked("e1", "x"), branch="empty")
    await notary.sign()
    keys = read_public_keys(public_pem(notary.keys))
    answer = (await get(notary.platform, "consistency", "empty", first_seq=3)).json()
    assert (answer["consistency_path"], answer["second"]["seq"]) == ([], 4)
    assert proves_consistency(answer, keys)


async def test_what_is_not_signed_yet_has_no_proof(notary: Notary) -> None:
    await notary.platform.recorded(asked("late", "x"))
    unsigned = problem(await get(notary.platform, "inclusion", seq=12), 404, "not_found")
    assert "A tree head is the service's signature" in unsigned["detail"]
    assert "every five minutes" in unsigned["detail"]
    problem(await get(notary.platform, "inclusion", seq=99), 404, "not_found")
    problem(await get(notary.platform, "consistency", first_seq=10), 404, "not_found")
    problem(await get(notary.platform, "consistency", first_seq=11, second_seq=9), 422, "invalid_request")


@pytest.mark.parametrize(
    ("what", "query"), [("head", {}), ("inclusion", {"seq": 1}), ("consistency", {"first_seq": 9})]
)
async def test_a_foreign_branch_answers_like_a_missing_one(
    notary: Notary, new_notary: NewNotary, what: str, query: dict[str, int]
) -> None:
    stranger = await new_notary()
    await stranger.platform.record({"kind": "conversation"}, at="only-mine")
    missing = problem(await get(notary.platform, what, at="nowhere", **query), 404, "not_found")
    foreign = problem(await get(notary.platform, what, at="only-mine", **query), 404, "not_found")
    assert missing == foreign


async def test_a_log_that_is_not_the_signed_one_gives_no_proof(notary: Notary) -> None:
    change = (
        "MATCH (b:Branch {tenant_id: $t, branch_id: 'main'}) "
        "MATCH (e:Event {branch_ref: b.branch_ref, seq: 2}) SET e.hash = $hash"
    )
    await notary.graph.write(lambda tx: tx.run(change, {"t": notary.platform.tenant_id, "hash": "ab" * 32}))
    problem(await get(notary.platform, "inclusion", seq=5), 500, "log_rewritten")
    problem(await get(notary.platform, "consistency", first_seq=9), 500, "log_rewritten")
