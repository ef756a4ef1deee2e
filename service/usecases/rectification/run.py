"""Carry an approved rectification out: the ledger, other words by events, then what was made of the old.

It goes the way of an erasure, by the same lease, and may be interrupted and begun again like one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import ClassVar

from service.errors import Conflict
from service.graph import erasure, privacy_requests, rectification
from service.graph.driver import Transaction
from service.graph.ledger_mark import advance_mark
from service.model.caller import Caller
from service.model.events import RedactionBatch, RedactionEvent
from service.model.privacy import Destruction, PrivacyRequestKind, PrivacyRequestState, Stage
from service.model.vocabulary import Label
from service.usecases.absence.findings import tell_apart
from service.usecases.absence.needles import EXCERPT_CHARACTERS, Needles, NoNeedleError
from service.usecases.absence.scan_graph import scan_graph
from service.usecases.erasure.cascade import NAMED
from service.usecases.erasure.mixed import REDACTIONS_PER_BATCH
from service.usecases.erasure.people import Person, Row, find_person
from service.usecases.erasure.plan import Plan
from service.usecases.erasure.proof import NEEDLE_CHARS_MIN, Sought, digest_of_shared
from service.usecases.erasure.run import Run, RunErasure
from service.usecases.erasure.tally import Tally
from service.usecases.erasure.tools import Tools
from service.usecases.hide_people import show
from service.usecases.privacy_notices import find_recipients
from service.usecases.rectification.corrections import Correction, Corrections, digest_of
from service.usecases.rectification.rewriting import Rewrite, Work, texts_of


def corrections_of(tools: Tools) -> Corrections:
    """Where corrections are kept."""
    return Corrections(tools.graph, tools.blobs, tools.keys)


async def worked_out(tools: Tools, tenant_id: str, made: Sequence[Correction]) -> Work:
    """What corrections do; nothing is changed."""
    rewrite = Rewrite(tools.graph, tools.blobs, tools.tokenizer, corrections_of(tools), tenant_id)
    return await rewrite.work(made)


async def plan_rectification(
    tools: Tools, tenant_id: str, people: Iterable[str], made: Sequence[Correction]
) -> Plan:
    """What a rectification would do now."""
    work = await worked_out(tools, tenant_id, made)
    tally = _tally(work)
    return Plan(
        mentions=(),
        mention_count=0,
        counts=tally.counts(),
        redacted=len(work.events),
        derived=_derived(work),
        review=tuple(work.resting),
        review_count=len(work.resting),
        unknown_speakers=(),
        holds=len(await tools.vault.holds(tenant_id, people)),
        corrections=digest_of(made),
    )


@dataclass(slots=True)
class RunRectification(Run):
    """One runner's way through one rectification."""

    what: ClassVar[Destruction] = Destruction.RECTIFICATION

    async def run(self) -> None:
        """From the approval, or wherever another runner was stopped, to the receipt."""
        tools = self.case.tools
        self._resume()
        person = await find_person(tools.graph, self.tenant_id, uids=self.row["subject_uids"])
        kept = corrections_of(tools)
        made = await kept.read(self.tenant_id, self.row["uid"])
        if self.row["stage"] == Stage.APPROVED:
            await self._check(made)
        await self._stand(Stage.BEGUN, state=PrivacyRequestState.IN_PROGRESS)
        begun = self._begin(person)
        await tools.graph.write(
            partial(advance_mark, ledger_seq=begun.ledger_seq, name=self.case.known.mark_name)
        )
        work = await worked_out(tools, self.tenant_id, made)
        known = tools.vault.opened(self.row)
        if "needles" not in known:
            known = await self._look(person, work)
        await tools.vault.seal_held(self.tenant_id, person)
        await self._record(work.events)
        await tools.graph.write(partial(self._rewrite, work))
        await self._delete_blobs(person, known["blobs"])
        await self._forget(person, kept, {one.event_uid for one in made})
        await self.case.before_ending(self.tenant_id, person.uids)
        await self.case.draw(self.tenant_id)
        await self._end(person, begun, known["needles"])

    async def _check(self, made: Sequence[Correction]) -> None:
        """The graph may have moved since the approval: no more than the tenant tolerates."""
        approved = Plan.of(self.row["plan"])
        now = await plan_rectification(self.case.tools, self.tenant_id, self.row["subject_uids"], made)
        if now.corrections != approved.corrections or approved.moved(now, self.kept.get("tolerance", 0.0)):
            await self._send_back()
            raise Conflict("The graph has moved since the plan was approved: preview and approve it again.")

    async def _look(self, person: Person, work: Work) -> Row:
        """Before anything is changed: what to look for afterwards, and what only now can be counted."""
        tools = self.case.tools
        tally = _tally(work)
        self.done = tally.counts()
        await self._keep(
            recipients=await find_recipients(tools.graph, tools.configurations, self.tenant_id, person),
            shared_before=await digest_of_shared(tools.graph, self.tenant_id),
            review_count=len(work.resting),
            derived=_derived(work),
            branch_refs=[b["branch_ref"] for one in person.conversations for b in one.branches],
        )
        known = {"needles": await self._needles(work), "blobs": [list(one) for one in work.blobs]}
        await self._stand(Stage.BEGUN, identifiers=tools.vault.sealed(self.row["uid"], known))
        return known

    async def _needles(self, work: Work) -> Sought:
        """The old words, where nothing else says the same: these must be found nowhere afterwards."""
        said = [text for event in work.events for text in texts_of(event["body"])]
        said += [text for node in work.nodes for text in texts_of(node["properties"])]
        olds = (_piece(one, said) for one in work.old_texts if len(one) >= NEEDLE_CHARS_MIN)
        texts = sorted({one for one in olds if one is not None})
        try:
            needles = Needles.of(ids=(), texts=filter(str.strip, texts))
            before = await scan_graph(self.case.tools.graph, needles, tenant_id=self.tenant_id)
            left = tell_apart(before, {*work.held_in, None})
        except NoNeedleError:
            return {"ids": [], "texts": []}
        return {"ids": [], "texts": list(left.texts)}

    async def _record(self, events: Sequence[Row]) -> None:
        """Give events other words; the same transaction destroys the old ones."""
        by_branch = sorted(events, key=lambda row: (row["branch_ref"], row["seq"]))
        for at, rows in groupby(by_branch, key=lambda row: (row["conversation_id"], row["branch_id"])):
            made = [self._event(row) for row in rows]
            for start in range(0, len(made), REDACTIONS_PER_BATCH):
                some = made[start : start + REDACTIONS_PER_BATCH]
                batch = RedactionBatch(conversation_id=at[0], branch_id=at[1], events=some)
                caller = Caller(tenant_id=self.tenant_id, key_uid="", scopes=frozenset())
                await self.case.tools.append_events(caller, batch, None)
                await self._keep()

    def _event(self, row: Row) -> RedactionEvent:
        return RedactionEvent(
            kind="redaction",
            event_uid=row["told"]["uid"],
            erased_by=self.row["uid"],
            body=row["body"],
            actor_uid=row["actor_uid"],
            subject_uids=row["told"]["subject_uids"],
        )

    async def _rewrite(self, work: Work, tx: Transaction) -> None:
        """Everything beside the log, in one transaction; processes forget what they keep of the tenant."""
        tenant_id = self.tenant_id
        await erasure.update_nodes.none(tx, tenant_id=tenant_id, nodes=work.nodes)
        named = {label.value: work.learned.get(label, []) for label in NAMED}
        await erasure.erase_nodes.one(tx, tenant_id=tenant_id, named=named, erase=True)
        await rectification.leave_queries.none(tx, tenant_id=tenant_id, messages=work.messages)
        now = self.case.tools.clock()
        await rectification.queue_answers.none(tx, tenant_id=tenant_id, messages=work.answers, now=now)
        await show(tx, tenant_id, ())

    async def _delete_blobs(self, person: Person, blobs: Sequence[Sequence[object]]) -> None:
        """Large bytes that were wrong, where nothing else names the same."""
        digests = {str(digest) for _, digest in blobs}
        for stretches in person.stretches() if digests else ():
            reading = partial(
                rectification.list_blob_uses.many,
                tenant_id=self.tenant_id,
                stretches=stretches,
                digests=sorted(digests),
            )
            digests -= {row["sha256"] for row in await self.case.tools.graph.read(reading)}
        for people, digest in blobs:
            if digest in digests:
                await self.case.tools.blobs.delete(self.tenant_id, people, str(digest))  # type: ignore[arg-type]

    async def _forget(self, person: Person, kept: Corrections, events: Collection[str]) -> None:
        """Earlier corrections of the same events are wrong now, too; what waits for its approval is not."""
        for stage in (Stage.BEGUN, Stage.DONE):
            reading = partial(
                privacy_requests.list_standing.many,
                tenant_id=self.tenant_id,
                people=list(person.uids),
                kind=PrivacyRequestKind.RECTIFICATION.value,
                stage=stage.value,
            )
            earlier = [row["uid"] for row in await self.case.tools.graph.read(reading)]
            others = [uid for uid in earlier if uid != self.row["uid"]]
            await kept.forget(self.tenant_id, others, events)

    def _ended(self, person: Person) -> tuple[str, ...]:
        """Nobody: the person goes on being named."""
        return ()


def rectifying(erase: RunErasure) -> RunErasure:
    """The same runner, which puts right in place of erasing."""
    return replace(erase, way=RunRectification)


def _tally(work: Work) -> Tally:
    tally = Tally()
    tally.nodes[Label.PAYLOAD] += len(work.events)
    for label, uids in work.learned.items():
        tally.nodes[label] += len(uids)
    tally.stores["events"] += len(work.events)
    return tally


def _derived(work: Work) -> int:
    return work.lines + sum(map(len, work.learned.values()))


def _piece(old: str, said: Sequence[str]) -> str | None:
    """The first piece of an old text that nothing says any more; None: all of it is said elsewhere in it."""
    last = max(0, len(old) - EXCERPT_CHARACTERS)
    starts = [*range(0, last, EXCERPT_CHARACTERS // 4), last]
    pieces = (old[start : start + EXCERPT_CHARACTERS] for start in starts)
    return next((one for one in pieces if not any(one in text for text in said)), None)
