"""Two officers of one tenant, as the tests play them."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from agent_platform import Json, Platform
from served import ADMIN_KEY

from service.log.ledger import Ledger
from service.model.caller import TENANT_SCOPES, Caller
from service.storage.blobs import Blobs
from service.storage.data_keys import DataKeys
from service.usecases.erasure.custody import Custody
from service.usecases.erasure.equip import Privacy
from service.usecases.learn_in_background import LearnInBackground

RUNS_MAX = 3
"""A run that the database did not answer in time is gone on with."""


def cut_small(monkeypatch: pytest.MonkeyPatch, seqs: int) -> None:
    """Erasures work in pieces of so few seqs: what belongs together lies in several."""
    for size in ("SEQS_PER_STRETCH", "SEQS_PER_BATCH"):
        monkeypatch.setattr(f"service.usecases.erasure.people.{size}", seqs)


@dataclass(frozen=True)
class Office:
    """`first` makes requests, `second` approves them; both are keys of the platform's tenant."""

    first: Platform
    second: Platform
    privacy: Privacy = field(repr=False)
    custody: Custody = field(repr=False)
    learning: LearnInBackground = field(repr=False)

    @property
    def platform(self) -> Platform:
        """The tenant's client."""
        return self.first

    @property
    def officer(self) -> Caller:
        """The second officer, to a use case that is called and not asked over HTTP."""
        return officer_of(self.platform.tenant_id)

    async def asked(self, request_id: str, user_id: str, kind: str = "erasure", **more: Any) -> Json:
        """A request, made."""
        body = {"request_id": request_id, "request_kind": kind, "user_id": user_id, **more}
        made = await self.first.send("POST", "/v1/privacy-requests", body)
        assert made.status_code == 201, made.text
        return made.json()

    async def previewed(self, request_id: str, **decisions: str) -> Json:
        """Its plan, once what was recorded is learned from: that would move the graph afterwards."""
        await self.learning.settled()
        path = f"/v1/privacy-requests/{request_id}/preview"
        seen = await self.first.send("POST", path, {"decisions": decisions})
        while seen.status_code == 202:  # it takes longer than a request waits
            seen = await self.first.send("POST", path, {"decisions": decisions})
        assert seen.status_code == 200, seen.text
        return seen.json()

    async def approved(self, request_id: str, plan_digest: str | None = None) -> Json:
        """Approved by the second officer, and carried out."""
        path = f"/v1/privacy-requests/{request_id}/approve"
        done = await self.second.send("POST", path, {"plan_digest": plan_digest})
        assert done.status_code == 200, done.text
        for _ in range(RUNS_MAX):
            await self.privacy.carrying_out.settled()
            row = await self.read(request_id)
            if row["stage"] not in ("approved", "begun"):
                break
            await self.privacy.carrying_out.note()  # as the service does each minute
        return row

    async def approved_and_left(self, request_id: str, plan_digest: str | None) -> None:
        """Approved as the API does it, but for starting the run."""
        await self.privacy.requests.approve(self.officer, request_id, plan_digest)

    async def read(self, request_id: str) -> Json:
        """Where it stands."""
        found = await self.first.send("GET", f"/v1/privacy-requests/{request_id}")
        assert found.status_code == 200, found.text
        return found.json()

    async def erased(self, user_id: str, request_id: str = "erase", **more: Any) -> Json:
        """A person erased, from the request to the receipt; answers the request as it stands then."""
        await self.asked(request_id, user_id, **more)
        plan = await self.previewed(request_id)
        return await self.approved(request_id, plan["plan_digest"])


def officer_of(tenant_id: str) -> Caller:
    """The second officer of a tenant."""
    return Caller(tenant_id, "the second officer", frozenset(TENANT_SCOPES))


def custody_in(folder: Path) -> Custody:
    """Everything below one folder, under a mark of its own."""
    keys = DataKeys(folder / "data-keys")
    ledger = folder / "ledger.jsonl"
    blobs = Blobs.at((folder / "blobs").as_uri(), keys)
    mark = f"ledger-{secrets.token_hex(8)}"
    return Custody(blobs, keys, Ledger(ledger), folder, None, {"ledger": ledger}, mark)


async def new_office(http: httpx.AsyncClient, custody: Custody) -> Office:
    """A tenant with two keys."""
    operator = Platform(http, ADMIN_KEY, "")
    name = f"tenant-{secrets.token_hex(8)}"
    made = await operator.send("POST", "/v1/tenants", {"name": name})
    assert made.status_code == 201, made.text
    first = Platform(http, made.json()["api_key"], made.json()["tenant_id"])
    more = await operator.send("POST", f"/v1/tenants/{name}/keys")
    assert more.status_code == 201, more.text
    app = http._transport.app  # type: ignore[attr-defined]
    services = app.state.services
    carrying_out = services.privacy.carrying_out
    carrying_out.tenant_ids = {
        first.tenant_id,
        *(carrying_out.tenant_ids or ()),
    }  # other workers have other keys
    second = replace(first, key=more.json()["api_key"])
    return Office(first, second, services.privacy, custody, services.learning)
