"""Everything that is held of a person, or what the person gave: data, a page to read, a manifest."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import zipfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from html import escape
from typing import Any, Final

from service.errors import Gone, NotFound
from service.graph import erasure, privacy_requests
from service.model.chain import canonical
from service.model.privacy import PrivacyRequestKind, PrivacyRequestState, Stage
from service.text.redacting import redacted, redactor
from service.usecases.erasure.people import ALIKE_MAX, Person, Row, find_person
from service.usecases.erasure.tally import Tally
from service.usecases.erasure.tools import Tools
from service.usecases.erasure.vault import blobs_in

OTHERS_MAX: Final = 10_000
EXPORT_KINDS: Final = (PrivacyRequestKind.ACCESS, PrivacyRequestKind.PORTABILITY)
EXPORTS_MAX: Final = 1_000
"""Exports that one run ends; the next one goes on."""
EXPORT_DAYS: Final = 30
"""How long an export can be fetched."""
TEXT_KEYS: Final = ("content", "text", "result", "arguments", "value", "block", "summary", "title")
PAGE: Final = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>What is held of you</title>"
    "<style>body{{font:1rem/1.5 sans-serif;max-width:50rem;margin:2rem auto}}dt{{color:#555}}"
    "dd{{margin:0 0 1rem;white-space:pre-wrap;overflow-wrap:anywhere}}</style>"
    "<h1>What is held of you</h1><p>{count} entries of the log, oldest first. Other people are left out.</p>"
    "<dl>{entries}</dl></html>"
)


@dataclass(frozen=True, slots=True)
class ExportPerson:
    """The use case with what it works on."""

    tools: Tools

    async def __call__(self, tenant_id: str, row: Row) -> str:
        """Make the export of an approved request; answers the SHA-256 of the archive. Made again, it is
        another archive in the same place. Raises Gone where the person is being erased, or was: then nothing
        of it is left."""
        person = await find_person(self.tools.graph, tenant_id, uids=row["subject_uids"])
        await self._stop_if_erased(tenant_id, row)
        own_alone = row["request_kind"] == PrivacyRequestKind.PORTABILITY
        entries = await self._entries(tenant_id, person, own_alone)
        whole = Tally()
        async for tally in self.tools.cascade(tenant_id, person).run():
            whole.merge(tally)
        files = {
            "data.json": canonical(entries).encode(),
            "read-me.html": _page(entries).encode(),
        }
        manifest = {
            "format": 1,
            "request_uid": row["uid"],
            "kind": row["request_kind"],
            "made_at": self.tools.clock().isoformat(timespec="seconds"),
            "files": {name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
            "entries": dict(sorted(Counter(entry["kind"] for entry in entries).items())),
            "held": whole.counts(),
        }
        data = _zipped({**files, "manifest.json": canonical(manifest).encode()})
        digest = hashlib.sha256(data).hexdigest()
        await self.destroy(tenant_id, row["uid"])
        await self.tools.blobs.put(tenant_id, [export_scope(row["uid"])], digest, data)
        await self._stop_if_erased(tenant_id, row)  # else an erasure finds it
        return digest

    async def _stop_if_erased(self, tenant_id: str, row: Row) -> None:
        people = await self.tools.graph.read(
            partial(
                erasure.find_people.many,
                tenant_id=tenant_id,
                user_ids=[],
                uids=row["subject_uids"],
                limit=ALIKE_MAX,
            )
        )
        if any(one["erased_at"] is not None for one in people):
            await self.destroy(tenant_id, row["uid"])
            raise Gone("user_id")

    async def fetch(self, tenant_id: str, row: Row) -> bytes:
        """The archive. Raises NotFound before it was made, Gone when its time is over or the person was
        erased."""
        async for digest, _ in self.tools.blobs.list_scope(tenant_id, [export_scope(row["uid"])]):
            return await self.tools.blobs.get(tenant_id, [export_scope(row["uid"])], digest)
        if row.get("finished_at") is not None:
            raise Gone("request_id")
        raise NotFound("export")

    async def end_old(self) -> int:
        """Destroy the exports of all tenants whose time is over; answers how many."""
        reading = partial(
            privacy_requests.list_old_exports.many,
            kinds=[kind.value for kind in EXPORT_KINDS],
            state=PrivacyRequestState.FULFILLED.value,
            before=self.tools.clock() - timedelta(days=EXPORT_DAYS),
            limit=EXPORTS_MAX,
        )
        old = await self.tools.graph.read(reading)
        for row in old:
            await self.destroy(row["tenant_id"], row["uid"])
            await self.tools.graph.write(
                partial(
                    privacy_requests.update_request.one,
                    tenant_id=row["tenant_id"],
                    uid=row["uid"],
                    stages=[Stage.DONE.value],
                    changes={"state": PrivacyRequestState.EXPIRED.value},
                )
            )
        return len(old)

    async def destroy_of(self, tenant_id: str, people: Sequence[str]) -> None:
        """Destroy all exports of people."""
        reading = partial(
            privacy_requests.list_exports.many,
            tenant_id=tenant_id,
            people=list(people),
            kinds=[kind.value for kind in EXPORT_KINDS],
        )
        for row in await self.tools.graph.read(reading):
            await self.destroy(tenant_id, row["uid"])

    async def destroy(self, tenant_id: str, request_uid: str) -> None:
        """Destroy an export with its key; none is no error."""
        scope = [export_scope(request_uid)]
        self.tools.keys.destroy(tenant_id, scope)
        await self.tools.blobs.delete_scope(tenant_id, scope)

    async def _entries(self, tenant_id: str, person: Person, own_alone: bool) -> list[Row]:
        """The events that name the person, with their payloads and large bytes; other people redacted."""
        redact = redactor(await self._other_names(tenant_id, person))
        own_seats = {seat["uid"] for one in person.conversations for seat in one.seats if seat["user_uid"]}
        entries = []
        for stretches in person.stretches():
            reading = partial(
                erasure.list_held.many,
                tenant_id=tenant_id,
                stretches=stretches,
                people=list(person.uids),
            )
            for row in await self.tools.graph.read(reading):
                if own_alone and row["actor_uid"] not in own_seats:
                    continue
                body = json.loads(row["body"])
                blobs = {}
                for digest in blobs_in(body):
                    data = await self.tools.blobs.get(tenant_id, row["subject_uids"], digest)
                    blobs[digest] = base64.b64encode(redact(data.decode()).encode()).decode()
                entries.append(
                    {
                        "uid": row["uid"],
                        "kind": row["kind"],
                        "at": row["at"],
                        "payload": redacted(body, redact),
                        **({"large": blobs} if blobs else {}),
                    }
                )
        return sorted(entries, key=lambda entry: (entry["at"], entry["uid"]))

    async def _other_names(self, tenant_id: str, person: Person) -> Iterable[str]:
        """What the other people are called in the conversations that hold data of the person."""
        seats = (seat for one in person.conversations for seat in one.other_seats)
        names = {text for seat in seats for text in (seat["participant_id"], seat["display_name"]) if text}
        others = sorted({uid for one in person.conversations for uid in one.others})
        if others:
            reading = partial(
                erasure.find_people.many,
                tenant_id=tenant_id,
                user_ids=[],
                uids=others,
                limit=OTHERS_MAX,
            )
            for row in await self.tools.graph.read(reading):
                names |= {name for name in (row["user_id"], *row["aliases"]) if name}
        return names - set(person.names())


def export_scope(request_uid: str) -> str:
    """Under whose name an export is sealed: nobody's but its own."""
    return f"export-{request_uid}"


def _page(entries: Sequence[Row]) -> str:
    told = "".join(
        f"<dt>{escape(entry['at'])} · {escape(entry['kind'])}</dt><dd>{escape(_words(entry['payload']))}</dd>"
        for entry in entries
    )
    return PAGE.format(count=len(entries), entries=told)


def _words(payload: Any) -> str:
    """What a payload says, as people read it; without words, all of its fields."""
    found = list(_texts(payload))
    return "\n".join(found) if found else json.dumps(payload, ensure_ascii=False, sort_keys=True)


def _texts(value: Any, key: str = "") -> Iterable[str]:
    match value:
        case str() if key in TEXT_KEYS:
            yield value
        case dict():
            for name, one in value.items():
                yield from _texts(one, name if isinstance(one, str | list) else key or name)
        case list():
            for one in value:
                yield from _texts(one, key)


def _zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0)), data)
    return packed.getvalue()
