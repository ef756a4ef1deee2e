"""Keep knowledge documents: publish versions, search them, retract and restore them."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from service.clock import LAST_TIME, Clock
from service.errors import ConstraintBroken, NotFound, VersionMoved
from service.graph import knowledge
from service.graph.driver import Graph, Transaction, Work
from service.graph.query import Row
from service.ids import new_uid
from service.model.caller import Caller
from service.model.chain import canonical
from service.model.consistency import ConsistencyToken
from service.model.vocabulary import PrivacyClass, ReviewAction
from service.text.passages import passages
from service.text.tokens import Tokenizer
from service.usecases.erased_ids import ErasedIds
from service.usecases.search_knowledge import SearchKnowledge


@dataclass(frozen=True, slots=True)
class NewVersion:
    """What a version says. `subject_uids` are the people whose data it may hold."""

    title: str
    text: str
    source: str | None
    privacy_class: PrivacyClass
    subject_uids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reviewed:
    """Who retracts or restores, and why."""

    action: ReviewAction
    reviewer: str
    reason: str | None
    expected_version: int | None


@dataclass(frozen=True, slots=True)
class KeepKnowledge:
    """The use case with what it works on. `secret` keys the digests by which equal versions are known."""

    graph: Graph
    clock: Clock
    tokenizer: Tokenizer
    search: SearchKnowledge
    secret: bytes

    async def put(
        self,
        caller: Caller,
        document_id: str,
        new: NewVersion,
        subject_ids: list[str],
        expected_version: int | None,
    ) -> tuple[dict[str, Any], ConsistencyToken]:
        """Publish a version; one that is published and equal is answered as it is. Raises VersionMoved,
        Gone. Where the document is hidden, the answer has what was sent and nothing that was there."""

        async def work(tx: Transaction) -> dict[str, Any]:
            newest = await knowledge.open_newest.one(tx, tenant_id=caller.tenant_id, document_id=document_id)
            if not _same(newest, self._hash(new), expected_version):
                _check(newest, expected_version)
                users = await ErasedIds(self.secret).ensured_users(
                    tx, caller.tenant_id, subject_ids, self.clock(), lambda _: "subject_ids"
                )
                version = replace(new, subject_uids=tuple(sorted(users.values())))
                await self.publish(tx, caller.tenant_id, document_id, version, _version(newest))
                newest = await knowledge.open_newest.one(
                    tx, tenant_id=caller.tenant_id, document_id=document_id
                )
            assert newest is not None, "it was published, or was there"
            try:
                return await _shown(tx, caller.tenant_id, document_id, None)
            except NotFound:
                return _sent(document_id, newest, new)

        return await self._written(work)

    async def publish(
        self,
        tx: Transaction,
        tenant_id: str,
        document_id: str,
        new: NewVersion,
        newest: int,
        candidate_uid: str | None = None,
    ) -> None:
        """Publish the version after `newest`, within somebody's transaction."""
        pieces = passages(new.text, self.tokenizer)
        document = {
            "uid": new_uid(),
            "document_id": document_id,
            "version": newest + 1,
            "title": new.title,
            "source": new.source,
            "privacy_class": new.privacy_class.value,
            "subject_uids": list(new.subject_uids),
            "content_hash": self._hash(new),
            "created_at": self.clock(),
        }
        rows = [
            {"uid": new_uid(), "part": part, "text": text, "tokens": tokens}
            for part, (text, tokens) in enumerate(pieces)
        ]
        await knowledge.publish_version.none(
            tx, tenant_id=tenant_id, document=document, passages=rows, candidate_uid=candidate_uid
        )

    async def decide(
        self, caller: Caller, document_id: str, reviewed: Reviewed
    ) -> tuple[dict[str, Any], ConsistencyToken]:
        """Retract the newest version, or restore its text as a version of its own; where that is done
        already, nothing changes. Raises NotFound, VersionMoved."""

        async def work(tx: Transaction) -> dict[str, Any]:
            await knowledge.lock_people.none(tx, tenant_id=caller.tenant_id, document_id=document_id)
            newest = await knowledge.read_document.one(
                tx, tenant_id=caller.tenant_id, document_id=document_id, version=None
            )
            if newest is None:
                raise NotFound("knowledge document")
            restores = reviewed.action is ReviewAction.RESTORE
            if (newest["ended_at"] is None) is not restores:
                _check(newest, reviewed.expected_version)
                await self._decided(tx, caller.tenant_id, document_id, newest, reviewed)
            return await _shown(tx, caller.tenant_id, document_id, None)

        return await self._written(work)

    async def show(
        self, caller: Caller, document_id: str, version: int | None, token: ConsistencyToken
    ) -> dict[str, Any]:
        """One version, the newest where none is named. Raises NotFound."""
        return await self.graph.read(
            lambda tx: _shown(tx, caller.tenant_id, document_id, version), token.bookmarks
        )

    async def listed(
        self, caller: Caller, before: datetime | None, limit: int, token: ConsistencyToken
    ) -> list[Row]:
        """Published documents, newest first, published before that time."""
        return await self.graph.read(
            lambda tx: knowledge.list_published.many(
                tx, tenant_id=caller.tenant_id, before=before or LAST_TIME, limit=limit
            ),
            token.bookmarks,
        )

    async def found(self, caller: Caller, query: str, limit: int, token: ConsistencyToken) -> list[Row]:
        """Published documents that answer to a query, best first, each by its best passage."""
        question = query, PrivacyClass.INTERNAL
        rows, _ = await self.search(caller.tenant_id, question, self.clock(), token.bookmarks)
        best: dict[str, Row] = {}
        for row in rows:
            best.setdefault(row["document_id"], {**row, "passage": row["text"]})
        return list(best.values())[:limit]

    async def _decided(
        self, tx: Transaction, tenant_id: str, document_id: str, newest: Row, reviewed: Reviewed
    ) -> None:
        now, version = self.clock(), newest["version"]
        if reviewed.action is ReviewAction.RESTORE:
            again = NewVersion(
                title=newest["title"],
                text="".join(piece["text"] for piece in newest["passages"]),
                source=newest["source"],
                privacy_class=PrivacyClass(newest["privacy_class"]),
                subject_uids=tuple(newest["subject_uids"]),
            )
            origin = next(iter(newest["candidates"]), None)
            await self.publish(tx, tenant_id, document_id, again, version, origin)
            version += 1
        else:
            await end(tx, tenant_id, document_id, version, now)
        decision = {
            "uid": new_uid(),
            "action": reviewed.action.value,
            "reviewer": reviewed.reviewer,
            "reason": reviewed.reason,
            "version": version,
            "decided_at": now,
        }
        await knowledge.decide_document.none(
            tx, tenant_id=tenant_id, document_id=document_id, version=version, decision=decision
        )

    async def _written(self, work: Work[dict[str, Any]]) -> tuple[dict[str, Any], ConsistencyToken]:
        try:
            told, bookmarks = await self.graph.write(work)
        except ConstraintBroken:  # another writer has made the version meanwhile: judge by that one
            told, bookmarks = await self.graph.write(work)
        return told, ConsistencyToken(tuple(bookmarks))

    def _hash(self, new: NewVersion) -> str:
        said = canonical([new.title, new.text, new.source, new.privacy_class.value])
        return hmac.new(self.secret, said.encode(), hashlib.sha256).hexdigest()


async def end(tx: Transaction, tenant_id: str, document_id: str, version: int, now: datetime) -> None:
    """End the published version of a document, within somebody's transaction."""
    await knowledge.end_version.none(
        tx, tenant_id=tenant_id, document_id=document_id, version=version, ended_at=now
    )


def _version(newest: Row | None) -> int:
    return newest["version"] if newest else 0


def _same(newest: Row | None, content_hash: str, expected_version: int | None) -> bool:
    """Whether the version is there already: nobody expects another one than it or the one before it."""
    if newest is None or newest["ended_at"] is not None or newest["content_hash"] != content_hash:
        return False
    return expected_version in (None, newest["version"], newest["version"] - 1)


def _check(newest: Row | None, expected_version: int | None) -> None:
    if expected_version is not None and expected_version != _version(newest):
        raise VersionMoved("expected_version", _version(newest))


def _sent(document_id: str, newest: Row, new: NewVersion) -> dict[str, Any]:
    """A version that is hidden, as its writer knows it."""
    return {
        "document_id": document_id,
        "version": newest["version"],
        "newest_version": newest["version"],
        "title": new.title,
        "text": new.text,
        "source": new.source,
        "privacy_class": new.privacy_class,
        "published": newest["ended_at"] is None,
        "created_at": newest["created_at"],
        "ended_at": newest["ended_at"],
        "candidate_id": None,
        "message_ids": [],
        "decisions": [],
    }


async def _shown(tx: Transaction, tenant_id: str, document_id: str, version: int | None) -> dict[str, Any]:
    row = await knowledge.read_document.one(tx, tenant_id=tenant_id, document_id=document_id, version=version)
    if row is None:
        raise NotFound("knowledge document")
    return {
        "document_id": document_id,
        "version": row["version"],
        "newest_version": row["newest"],
        "title": row["title"],
        "text": "".join(piece["text"] for piece in row["passages"]),
        "source": row["source"],
        "privacy_class": row["privacy_class"],
        "published": row["ended_at"] is None,
        "created_at": row["created_at"],
        "ended_at": row["ended_at"],
        "candidate_id": next(iter(row["candidates"]), None),
        "message_ids": row["messages"],
        "decisions": [
            {**decision, "decided_at": decision["decided_at"].to_native()} for decision in row["decisions"]
        ],
    }
