"""Tree heads are signed as the log grows, kept outside, and go on where a killed process stopped."""

from __future__ import annotations

from typing import Any

import pytest
from agent_platform import asked
from notary import CLOCK, Notary
from served import Rows

from jobs import sign_tree_heads as job
from jobs.job import Deps
from service.log.kept_heads import KeptHeads, UnreadableHeadsError
from service.log.tree_heads import TreeHead, read_public_keys
from service.settings import Settings
from service.usecases.manage_signing_key import load_signer, public_pem, rotate_key, trusted_keys
from service.usecases.sign_tree_heads import Signed, SignTreeHeads

STORED = (
    "MATCH (b:Branch {tenant_id: $t, branch_id: $branch}) MATCH (h:TreeHead {branch_ref: b.branch_ref}) "
    "RETURN properties(h) AS h ORDER BY h.seq"
)


async def stored(rows: Rows, notary: Notary, branch: str = "main") -> list[TreeHead]:
    """A branch's heads in the database."""
    found = await rows(STORED, t=notary.platform.tenant_id, branch=branch)
    return [TreeHead.of(row["h"]) for row in found]


def more(count: int, name: str = "x") -> list[dict[str, Any]]:
    return [asked(f"{name}{number}", "More.") for number in range(count)]


async def test_a_branch_that_has_not_moved_is_not_signed_again(notary: Notary) -> None:
    assert await notary.sign() == Signed(0, 0, ())
    await notary.platform.recorded(*more(1))
    assert await notary.sign() == Signed(1, 1, ())


async def test_every_head_is_in_the_database_and_outside(notary: Notary, rows: Rows) -> None:
    kept = notary.kept.read()
    branches = [await stored(rows, notary, name) for name in ("main", "child", "empty", "grandchild")]
    assert [[head.seq for head in heads] for heads in branches] == [[9, 11], [7], [3], [7]]
    assert sorted(kept, key=repr) == sorted((head for heads in branches for head in heads), key=repr)
    keys = read_public_keys(public_pem(notary.keys))
    assert all(head.is_signed_by(keys) for head in kept)
    assert [head.tree_size for head in branches[2]] == [0]


async def test_a_branch_gets_a_head_at_every_so_many_events(notary: Notary, rows: Rows) -> None:
    await notary.platform.recorded(*more(14))
    assert (await notary.sign(every_events=5)).heads == 3
    assert [head.seq for head in await stored(rows, notary)] == [9, 11, 15, 20, 25]
    assert (await notary.verdict()).faults == ()


async def test_a_tree_that_grew_in_pieces_is_the_tree_that_is_read_at_once(
    notary: Notary, rows: Rows
) -> None:
    for number in range(5):
        await notary.platform.recorded(*more(number + 1, f"x{number}-"))
        await notary.sign()
    in_pieces = (await stored(rows, notary))[-1]
    await notary.graph.write(
        lambda tx: tx.run("MATCH (h:TreeHead {tenant_id: $t}) DELETE h", {"t": notary.platform.tenant_id})
    )
    notary.kept.path.unlink()
    await notary.sign()
    [at_once] = await stored(rows, notary)
    assert at_once == in_pieces


@pytest.mark.parametrize("left", [b"", b'{"tenant_id":"half a li'])
async def test_a_head_that_did_not_reach_the_file_is_kept_at_the_next_signing(
    notary: Notary, left: bytes
) -> None:
    before = notary.kept.path.read_bytes()
    await notary.platform.recorded(*more(2, "y"))
    await notary.sign()
    notary.kept.path.write_bytes(before + left)
    assert (await notary.verdict()).faults == (), "an honest log, although the file is behind"
    await notary.platform.recorded(*more(2, "z"))
    await notary.sign()
    assert [head.seq for head in notary.kept.read()[-2:]] == [13, 15]
    assert (await notary.verdict()).faults == ()


async def test_a_head_that_only_the_file_has_is_taken_back_into_the_database(
    notary: Notary, rows: Rows
) -> None:
    heads = await stored(rows, notary)
    await notary.graph.write(
        lambda tx: tx.run(
            "MATCH (h:TreeHead {branch_ref: $ref, seq: 11}) DELETE h", {"ref": heads[0].branch_ref}
        )
    )
    assert await notary.sign() == Signed(1, 1, ())
    assert await stored(rows, notary) == heads
    assert (await notary.verdict()).faults == ()


async def test_a_rewritten_tail_is_not_signed(notary: Notary) -> None:
    await notary.platform.recorded(*more(3))
    change = (
        "MATCH (b:Branch {tenant_id: $t, branch_id: 'main'}) "
        "MATCH (e:Event {branch_ref: b.branch_ref, seq: 13}) SET e.kind = 'pin'"
    )
    await notary.graph.write(lambda tx: tx.run(change, {"t": notary.platform.tenant_id}))
    signed = await notary.sign()
    assert (signed.heads, [fault.seq for fault in signed.refused]) == (0, [13])


async def test_after_a_rotation_old_heads_stay_good_and_new_ones_have_the_new_key(notary: Notary) -> None:
    old = load_signer(notary.keys).key_id
    new = rotate_key(notary.keys).key_id
    await notary.platform.recorded(*more(1))
    await notary.sign()
    assert [head.key_id for head in notary.kept.read()][-2:] == [old, new]
    assert list(trusted_keys(notary.keys)) == [old, new]
    assert (await notary.verdict()).faults == ()
    assert (notary.keys / "log-signing.key").stat().st_mode & 0o777 == 0o600


async def test_heads_of_a_key_that_was_lost_are_not_trusted_and_not_gone_on_from(notary: Notary) -> None:
    (notary.keys / "log-signing.key").unlink()
    (notary.keys / "log-public.pem").unlink()
    await notary.platform.recorded(*more(1))
    assert len((await notary.sign()).refused) == 1
    assert len((await notary.verdict()).faults) == 4


async def test_a_file_that_is_not_one_of_heads_is_refused_by_its_line(notary: Notary) -> None:
    with notary.kept.path.open("ab") as file:
        file.write(b'{"secret": "words"}\n')
    with pytest.raises(UnreadableHeadsError, match=r"^line 6 is not a tree head$"):
        notary.kept.read()


async def test_the_job_signs_and_reports_ids_and_numbers(
    notary: Notary, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job goes over all tenants, of which the shared database has many; here it is held to one."""

    class OfOneTenant(SignTreeHeads):
        async def __call__(self, *, tenant_id: str | None = None, dry_run: bool = False) -> Signed:
            return await super().__call__(tenant_id=notary.platform.tenant_id, dry_run=dry_run)

    monkeypatch.setattr(job, "SignTreeHeads", OfOneTenant)
    settings = Settings(keys_folder=notary.keys, tree_heads_file=notary.kept.path, tree_head_events=2)
    deps = Deps(notary.graph, CLOCK, settings)
    await notary.platform.recorded(*more(4))
    assert await job.run(deps, dry_run=True) == {"sound": True, "moved": 1}
    done = {"sound": True, "moved": 1, "signed": 3, "refused": 0, "first_refused": []}
    assert await job.run(deps, dry_run=False) == done
    await notary.platform.recorded(*more(1, "later"))
    change = "MATCH (b:Branch {tenant_id: $t, branch_id: 'main'}) SET b.head = b.head + 1"
    await notary.graph.write(lambda tx: tx.run(change, {"t": notary.platform.tenant_id}))
    report = await job.run(deps, dry_run=False)
    assert (report["sound"], report["refused"]) == (False, 1)
    assert report["first_refused"][0].endswith("seq 17: the event is missing")


async def test_without_a_file_there_are_no_heads(notary: Notary) -> None:
    assert KeptHeads(notary.kept.path.with_name("none")).read() == []
