"""The drill: the scan finds every canary before the erasure of a made-up person, and none after."""

from __future__ import annotations

import secrets

from agent_platform import Platform
from officers import Office
from served import Rows

from service.clock import SystemClock
from service.graph.driver import Graph
from service.usecases.drill_erasure import TENANT, drill_erasure


async def test_a_drill_finds_every_canary_before_and_none_after(
    office: Office, graph: Graph, rows: Rows
) -> None:
    report = await drill_erasure(graph, office.custody, SystemClock(), secrets.token_bytes(32))
    assert report.sound, report
    assert (report.found_before, report.found_after) == (report.canaries, 0)
    again = await drill_erasure(graph, office.custody, SystemClock(), secrets.token_bytes(32))
    assert again.sound and again.request_uid != report.request_uid
    made = await rows("MATCH (t:Tenant {name: $name}) RETURN count(t) AS tenants", name=TENANT)
    assert made == [{"tenants": 1}]


async def test_an_erasure_is_no_ones_who_has_not_the_scope(office: Office) -> None:
    nobody = Platform(office.first.http, "rg_nobody", "")
    assert (await nobody.send("GET", "/v1/privacy-requests")).status_code == 401
