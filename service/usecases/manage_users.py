"""What people are called, and who of a tenant's users are one person: for all that is asked for by right."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from service.clock import Clock
from service.errors import Conflict, Gone, InvalidRequest, LimitExceeded, NotFound
from service.graph import people, privacy_requests
from service.graph.driver import Graph, Transaction
from service.model.caller import Caller
from service.model.privacy import PrivacyRequestKind, Stage
from service.usecases.erased_ids import ErasedIds
from service.usecases.erasure.people import ALIKE_MAX, Row
from service.usecases.erasure.run import CARRIED_OUT
from service.usecases.hide_people import restrict

UNTIL_DONE: Final = (Stage.RECEIVED, Stage.PREVIEWED, Stage.APPROVED, Stage.BEGUN)
OF_BOTH: Final = tuple(kind for kind in PrivacyRequestKind if kind is not PrivacyRequestKind.RESTRICTION)
"""What was asked for one person would be carried out for two, where a split came between."""

Change = Callable[[Transaction, Sequence[Row]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ManageUsers:
    """The use case with what it works on. Whom a request names is meant under every id that is the same
    person; what is recorded and remembered stays each id's own."""

    graph: Graph
    clock: Clock
    erased_ids: ErasedIds

    async def show(self, caller: Caller, user_id: str) -> Row:
        """A user, and who else is the same person. Raises NotFound, Gone for an erased one."""

        async def work(tx: Transaction) -> Row:
            found = await people.find_users.many(tx, tenant_id=caller.tenant_id, user_ids=[user_id])
            await self._check(tx, caller, found, {user_id: "user_id"})
            return await _told(tx, caller.tenant_id, found[0]["uid"])

        return await self.graph.read(work)

    async def name(self, caller: Caller, user_id: str, aliases: Sequence[str]) -> Row:
        """Say what a user is called in texts, instead of what was said before. Raises NotFound, Gone."""
        said = sorted(set(aliases))

        async def change(tx: Transaction, users: Sequence[Row]) -> None:
            await people.name_user.none(tx, uid=users[0]["uid"], aliases=said, **self._by(caller))

        return await self._changed(caller, {user_id: "user_id"}, change)

    async def merge(self, caller: Caller, user_id: str, other_id: str) -> Row:
        """Say that two users are one person; said again, nothing changes. Where one is restricted, all are
        from the same transaction on.

        Raises NotFound, Gone for an erased one, Conflict while an erasure of either is carried out,
        LimitExceeded, InvalidRequest for one user named twice.
        """

        async def change(tx: Transaction, users: Sequence[Row]) -> None:
            pair = {"uid": users[0]["uid"], "other_uid": users[1]["uid"]}
            await people.merge_users.none(tx, **pair, **self._by(caller))
            alike = await _alike(tx, caller.tenant_id, [users[0]["uid"]])
            if len(alike) > ALIKE_MAX:
                raise LimitExceeded("One person's ids", ALIKE_MAX, "users")
            restricted = [row["restricted_at"] for row in alike if row["restricted_at"] is not None]
            if restricted and len(restricted) < len(alike):
                await restrict(tx, caller.tenant_id, [row["uid"] for row in alike], min(restricted))

        return await self._changed(caller, _pair(user_id, other_id), change)

    async def split(self, caller: Caller, user_id: str, other_id: str) -> Row:
        """Say no longer that two users are one person. Who was hidden for the other one's restriction alone
        is shown again.

        Raises NotFound, also where nobody had said so of these two, Gone, Conflict while something that was
        asked for the person is not carried out, InvalidRequest.
        """

        async def change(tx: Transaction, users: Sequence[Row]) -> None:
            pair = {"uid": users[0]["uid"], "other_uid": users[1]["uid"]}
            if await people.split_users.one(tx, **pair, **self._by(caller)) is None:
                raise NotFound("statement of a same person")
            await self._show_unrestricted(tx, caller.tenant_id, [row["uid"] for row in users])

        return await self._changed(caller, _pair(user_id, other_id), change, splits=True)

    async def _show_unrestricted(self, tx: Transaction, tenant_id: str, pair: Sequence[str]) -> None:
        sides = [[row["uid"] for row in await _alike(tx, tenant_id, [uid])] for uid in pair]
        if set(sides[0]) == set(sides[1]):
            return  # still one person, by what was said of others
        standing = [await restrictions(tx, tenant_id, side) for side in sides]
        for side, own, others in zip(sides, standing, reversed(standing), strict=True):
            if others and not own:
                await restrict(tx, tenant_id, side, None)

    async def _changed(
        self, caller: Caller, named: dict[str, str], change: Change, splits: bool = False
    ) -> Row:
        """One transaction under the locks of the users: who is erased meanwhile is refused."""

        async def work(tx: Transaction) -> Row:
            ids = list(named)
            found = await people.lock_users.many(tx, tenant_id=caller.tenant_id, user_ids=sorted(ids))
            await self._check(tx, caller, found, named)
            users = sorted(found, key=lambda row: ids.index(row["user_id"]))
            alike = await _alike(tx, caller.tenant_id, [row["uid"] for row in users])
            standing = await privacy_requests.lock_requests.many(
                tx,
                tenant_id=caller.tenant_id,
                people=[row["uid"] for row in alike],
                kinds=[kind.value for kind in (OF_BOTH if splits else (PrivacyRequestKind.ERASURE,))],
                stages=[stage.value for stage in UNTIL_DONE],
            )
            if splits and standing:
                raise Conflict("Something was asked for the person: cancel it, or wait until it is done.")
            if any(row["stage"] in CARRIED_OUT for row in standing):
                raise Conflict("An erasure of the person is approved: wait until it is carried out.")
            await change(tx, users)
            return await _told(tx, caller.tenant_id, users[0]["uid"])

        told, _ = await self.graph.write(work)
        return told

    async def _check(
        self, tx: Transaction, caller: Caller, found: Sequence[Row], named: dict[str, str]
    ) -> None:
        for row in found:
            if row["erased_at"] is not None:
                raise Gone(named[row["user_id"]])
        missing = named.keys() - {row["user_id"] for row in found}
        digests = {self.erased_ids.digest("user", one): named[one] for one in missing}
        await self.erased_ids.refuse(tx, caller.tenant_id, digests)
        if missing:
            raise NotFound("user")

    def _by(self, caller: Caller) -> Row:
        return {"tenant_id": caller.tenant_id, "now": self.clock(), "key_uid": caller.key_uid}


async def restrictions(tx: Transaction, tenant_id: str, uids: Sequence[str]) -> set[str]:
    """Uids of the restrictions that stand on people."""
    rows = await privacy_requests.list_standing.many(
        tx,
        tenant_id=tenant_id,
        people=list(uids),
        kind=PrivacyRequestKind.RESTRICTION.value,
        stage=Stage.BEGUN.value,
    )
    return {row["uid"] for row in rows}


async def _alike(tx: Transaction, tenant_id: str, uids: Sequence[str]) -> list[Row]:
    """The users that are one person with these, and one more than may be."""
    return await people.list_same.many(tx, tenant_id=tenant_id, uids=list(uids), limit=2 * ALIKE_MAX + 1)


async def _told(tx: Transaction, tenant_id: str, uid: str) -> Row:
    alike = {row["uid"]: row for row in await _alike(tx, tenant_id, [uid])}
    said = {
        row["uid"]: {"recorded_at": row["recorded_at"], "recorded_by": row["recorded_by"]}
        for row in await people.list_statements.many(tx, tenant_id=tenant_id, uid=uid)
    }
    own = alike.pop(uid)
    return {
        **{name: own[name] for name in ("user_id", "uid", "aliases", "changed_at", "changed_by")},
        "restricted": own["restricted_at"] is not None,
        "same_as": [
            {"user_id": row["user_id"], "uid": row["uid"], "said": said.get(row["uid"])}
            for row in alike.values()
        ],
    }


def _pair(user_id: str, other_id: str) -> dict[str, str]:
    if user_id == other_id:
        raise InvalidRequest([{"location": "other_id", "problem": "is the same id"}])
    return {user_id: "user_id", other_id: "other_id"}
