"""Client ids that an erasure destroyed: known by their digests alone, and refused for good."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from service.errors import Gone
from service.graph import log, people
from service.graph.driver import Graph, Transaction

IdKind = Literal["user", "conversation", "participant"]


def id_digest(secret: bytes, kind: IdKind, client_id: str, conversation_uid: str = "") -> str:
    """The keyed digest of a client's id; a participant's is of its conversation, named by the service's
    uid."""
    named = f"{kind}:{conversation_uid}:{client_id}" if kind == "participant" else f"{kind}:{client_id}"
    return hmac.new(secret, named.encode(), hashlib.sha256).hexdigest()


def digests(secret: bytes, kind: IdKind, ids: Iterable[str], conversation_uid: str = "") -> list[str]:
    """Those of several ids, in their order."""
    return [id_digest(secret, kind, one, conversation_uid) for one in ids]


@dataclass(frozen=True, slots=True)
class ErasedIds:
    """What refuses erased ids. `secret` is the server's own."""

    secret: bytes = field(repr=False)

    def digest(self, kind: IdKind, client_id: str, conversation_uid: str = "") -> str:
        """See `id_digest`."""
        return id_digest(self.secret, kind, client_id, conversation_uid)

    async def refuse(self, tx: Transaction, tenant_id: str, named: Mapping[str, str]) -> None:
        """Raise Gone at the first location whose digest is an erased id's; `named` has it by digest."""
        if not named:
            return
        found = await people.list_erased.many(tx, tenant_id=tenant_id, id_digests=list(named))
        erased = {row["id_digest"] for row in found}
        for digest, location in named.items():
            if digest in erased:
                raise Gone(location)

    async def refuse_conversation(self, graph: Graph, tenant_id: str, conversation_id: str) -> None:
        """Raise Gone where a conversation that was not found is an erased one."""
        named = {self.digest("conversation", conversation_id): "conversation_id"}
        await graph.read(lambda tx: self.refuse(tx, tenant_id, named))

    async def ensured_users(
        self,
        tx: Transaction,
        tenant_id: str,
        user_ids: Iterable[str],
        now: datetime,
        location: Callable[[str], str],
    ) -> dict[str, str]:
        """Uids of people by the client's ids; one who is not known yet is made. Holds the lock of each.

        Raises Gone for the first who was erased; `location` says where the request names whom.
        """
        users = {one: self.digest("user", one) for one in user_ids}
        rows = await log.ensured_users(tx, tenant_id, users, now)
        for row in rows:
            if row["erased"]:
                raise Gone(location(row["user_id"]))
        return {row["user_id"]: row["uid"] for row in rows}
