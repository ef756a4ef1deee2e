"""Hide people, end them, let them be seen again: it holds in every process from the next transaction on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from service.graph import people
from service.graph.driver import Transaction

LOCKING_ROUNDS: Final = 2
"""A batch that is waited for may fork its conversation: the second round has the branches it made. There are
none after them, since forks are recorded on main, which is locked by then."""


async def hide(tx: Transaction, tenant_id: str, user_uids: Sequence[str]) -> None:
    """Show nothing that names the people; processes forget what they keep of the tenant."""
    await people.hide_people.none(tx, tenant_id=tenant_id, user_uids=list(user_uids))


async def show(tx: Transaction, tenant_id: str, user_uids: Sequence[str]) -> None:
    """Show the people's data again, or what is left of it; processes forget what they keep of the tenant."""
    await people.show_people.none(tx, tenant_id=tenant_id, user_uids=list(user_uids))


async def cordon(
    tx: Transaction, tenant_id: str, user_uids: Sequence[str], id_digests: Sequence[str], now: datetime
) -> None:
    """Hide people and record nothing of them any more. May be repeated.

    A batch that names one of them is committed before this transaction or is refused: either it holds the
    lock of a branch of the person's conversations, or that of the person where it makes the conversation one
    of theirs, and both are waited for here, in the order in which batches take them. Who learns from an
    answer, judges it or decides on it holds its branch's lock as well, and who restores a document those of
    its people, before it looks whom the tenant hides.
    """
    uids = sorted(user_uids)
    await people.end_users.none(tx, tenant_id=tenant_id, user_uids=uids, erased_at=now)
    for _ in range(LOCKING_ROUNDS):
        await people.await_batches.one(tx, tenant_id=tenant_id, user_uids=uids)
    await people.note_erased.none(tx, tenant_id=tenant_id, id_digests=list(id_digests), erased_at=now)
    await hide(tx, tenant_id, uids)


async def restrict(tx: Transaction, tenant_id: str, user_uids: Sequence[str], at: datetime | None) -> None:
    """Restrict people under all their ids since `at`, or no longer where that is None."""
    rows = await people.restrict_users.many(
        tx, tenant_id=tenant_id, user_uids=sorted(user_uids), restricted_at=at
    )
    change = show if at is None else hide
    await change(tx, tenant_id, [row["user_uid"] for row in rows])
