"""What people's rights are carried out with, put together from the settings: for the service and for jobs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from service.clock import Clock
from service.graph.driver import Graph, UnhurriedGraph
from service.text.tokens import tokenizer
from service.usecases.append_events import AppendEvents
from service.usecases.carry_out_requests import CarryOutRequests
from service.usecases.check_ledger import CheckLedger
from service.usecases.configure_tenant import Configurations
from service.usecases.draw_insights import DrawInsights
from service.usecases.erased_ids import ErasedIds
from service.usecases.erasure.custody import Custody
from service.usecases.erasure.proof import Prove
from service.usecases.erasure.run import RunErasure
from service.usecases.erasure.tools import Tools
from service.usecases.erasure.vault import Vault
from service.usecases.export_person import ExportPerson
from service.usecases.know_erasures import KnownErasures
from service.usecases.legal_holds import LegalHolds
from service.usecases.manage_signing_key import load_signer
from service.usecases.manage_users import ManageUsers
from service.usecases.offboard_tenant import OffboardTenant
from service.usecases.previews import Previews
from service.usecases.privacy_notices import PrivacyNotices
from service.usecases.privacy_requests import PrivacyRequests
from service.usecases.rectification.run import rectifying
from service.usecases.replay_erasures import ReplayErasures
from service.usecases.retention.run import CarryOutRetention
from service.usecases.review_erasure import ReviewErasure


@dataclass(frozen=True, slots=True)
class Privacy:
    """The use cases of people's rights."""

    append_events: AppendEvents
    requests: PrivacyRequests
    previews: Previews
    review: ReviewErasure
    carrying_out: CarryOutRequests
    exports: ExportPerson
    holds: LegalHolds
    notices: PrivacyNotices
    users: ManageUsers
    replay: ReplayErasures
    retention: CarryOutRetention
    offboarding: OffboardTenant


def equipped(graph: Graph, custody: Custody, clock: Clock, secret: bytes) -> Privacy:
    """The use cases over one graph and what lies outside of it. `secret` is the server's own."""
    unhurried = UnhurriedGraph(graph)  # a person's erasure may take long: others do not wait for it
    tools, behind = (_tools(one, custody, clock, secret) for one in (graph, unhurried))
    signer = partial(load_signer, custody.keys_folder)
    exports = ExportPerson(behind)
    known = KnownErasures(custody.ledger, custody.keys_folder, custody.mark_name)
    erase = RunErasure(
        tools=behind,
        ledger=custody.ledger,
        signer=signer,
        prove=Prove(unhurried, custody.blobs, custody.data_keys, custody.logs, custody.files),
        draw=DrawInsights(unhurried, clock, behind.configurations),
        known=known,
        before_ending=exports.destroy_of,
    )
    rectify = rectifying(erase)
    offboarding = OffboardTenant(graph, custody, signer, known, clock)
    check = CheckLedger(unhurried, known, clock)
    holds = LegalHolds(
        graph, tools.vault, custody.ledger, signer, clock, custody.mark_name, CheckLedger(graph, known, clock)
    )
    requests = PrivacyRequests(tools, tools.configurations, ErasedIds(secret), ExportPerson(tools))
    return Privacy(
        append_events=tools.append_events,
        requests=requests,
        previews=Previews(replace(requests, tools=behind)),
        review=ReviewErasure(graph, requests),
        carrying_out=CarryOutRequests(unhurried, erase, rectify, exports, offboarding.go_on, check),
        exports=exports,
        holds=holds,
        notices=PrivacyNotices(graph, clock),
        users=ManageUsers(graph, clock, ErasedIds(secret)),
        replay=ReplayErasures(graph, known, clock, erase, rectify, offboarding, holds),
        retention=CarryOutRetention(
            graph, custody.blobs, custody.ledger, signer, known, clock, tools.configurations
        ),
        offboarding=offboarding,
    )


def _tools(graph: Graph, custody: Custody, clock: Clock, secret: bytes) -> Tools:
    configurations, counting = Configurations(graph, clock), tokenizer()
    return Tools(
        graph=graph,
        blobs=custody.blobs,
        keys=custody.data_keys,
        append_events=AppendEvents(graph, custody.blobs, counting, clock, secret, configurations),
        tokenizer=counting,
        clock=clock,
        secret=secret,
        vault=Vault(graph, custody.blobs, custody.data_keys, clock),
        configurations=configurations,
    )
