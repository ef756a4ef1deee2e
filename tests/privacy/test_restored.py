"""An erasure on a database of its own: its files, an old copy that is put back, the store written anew."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import httpx
from agent_platform import Platform
from lives import Canaries, live
from officers import Office

from service.api.app import create_app
from service.embedded import open_database
from service.embedded.database import rebuild_database
from service.log.ledger import Ledger
from service.log.receipts import Receipt, hold_against
from service.main import opening
from service.settings import Settings
from service.storage.blobs import Blobs
from service.storage.data_keys import DataKeys
from service.usecases.absence.findings import Findings
from service.usecases.absence.needles import Needles
from service.usecases.absence.scan_files import scan_files
from service.usecases.erasure.custody import custody_of
from service.usecases.manage_signing_key import trusted_keys

LONG = 400
"""Bytes of a canary whose traces in a database's files prove something."""


@asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[Platform]:
    """The service on its own database, as the operator sees it."""
    with open_database(settings) as database:
        app = create_app(opening(settings, database))
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://service", timeout=120) as client,
        ):
            yield Platform(client, settings.operator_key(), "")


async def office_of(operator: Platform, settings: Settings) -> Office:
    name = f"tenant-{secrets.token_hex(8)}"
    made = (await operator.send("POST", "/v1/tenants", {"name": name})).json()
    first = Platform(operator.http, made["api_key"], made["tenant_id"])
    more = (await operator.send("POST", f"/v1/tenants/{name}/keys")).json()
    blobs = Blobs.at(settings.blob_url, DataKeys(settings.data_keys))
    services = operator.http._transport.app.state.services  # type: ignore[attr-defined]
    second, custody = replace(first, key=more["api_key"]), custody_of(settings, blobs)
    return Office(first, second, services.privacy, custody, services.learning)


def searched(settings: Settings, needles: Needles) -> Findings:
    """The raw bytes of everything in the data folder."""
    return scan_files(needles, {path.name: path for path in settings.data_folder.iterdir()})


async def test_an_old_copy_is_refused_until_the_erasure_is_replayed_and_a_rebuilt_store_holds_nothing(
    tmp_path: Path,
) -> None:
    settings = Settings(data_folder=tmp_path / "data")
    new, old = Canaries(random_bytes=LONG), tmp_path / "old"
    async with running(settings) as operator:
        office = await office_of(operator, settings)
        mia = new("user")
        await live(office.platform, new, mia)
    needles = Needles.of(texts=[one for one in new.all if "-blob-" not in one and "-large-" not in one])
    found = searched(settings, needles)
    assert {needles.texts[at].split("-")[1] for at in found.unseen()} == set(), "each is found before"
    shutil.copytree(settings.neo4j_home, old)

    async with running(settings) as operator:
        office = replace(office, first=replace(office.first, http=operator.http))
        office = replace(office, second=replace(office.second, http=operator.http))
        privacy = operator.http._transport.app.state.services.privacy  # type: ignore[attr-defined]
        office = replace(office, privacy=privacy)
        done = await office.erased(mia)
        assert done["state"] == "fulfilled", done
        stores = {window["store"] for window in done["receipt"]["windows"]}
        assert {"store_files", "index_files"} <= stores, "what may still hold bytes is announced"
    rebuild_database(settings, lambda *_: None)
    assert searched(settings, needles).absent, "after a rebuild there is no exemption"

    shutil.rmtree(settings.neo4j_home)
    shutil.copytree(old, settings.neo4j_home)
    async with running(settings) as operator:
        first = replace(office.first, http=operator.http)
        refused = await first.send("GET", "/v1/privacy-requests")
        assert (refused.status_code, refused.json()["code"]) == (503, "erasures_to_replay")
        assert (await operator.send("GET", "/health/ready")).status_code == 503
        privacy = operator.http._transport.app.state.services.privacy  # type: ignore[attr-defined]
        assert await privacy.replay() == 1
        assert await privacy.replay() == 0
    async with running(settings) as operator:
        first = replace(office.first, http=operator.http)
        served = await first.send("GET", "/v1/privacy-requests")
        assert served.status_code == 200, served.text
        receipt = served.json()["requests"][0]["receipt"]
        assert receipt["request_uid"] == done["uid"] and receipt["subject_uids"] == done["subject_uids"]
    rebuild_database(settings, lambda *_: None)
    assert searched(settings, needles).absent
    keys = trusted_keys(settings.keys)
    entries = Ledger(settings.ledger).read(keys)
    assert [entry.kind.value for entry in entries] == ["begun", "ended"]
    text = Receipt.model_validate(done["receipt"]).model_dump_json()
    verified = Receipt.verified(_canonical(text), keys)
    hold_against(verified, _canonical(text), entries)


def _canonical(text: str) -> str:
    return json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
