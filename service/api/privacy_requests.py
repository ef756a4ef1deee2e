"""What people ask for by right: erasure, access, portability, restriction, rectification."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query, Response

from service.api.auth import Officer, Rights
from service.api.branches import Continued
from service.api.contract import TENANT_WRITES, documented
from service.api.shapes.privacy import (
    ApproveBody,
    Corrections,
    CorrectionShown,
    DenyBody,
    ExtendBody,
    ListedEvent,
    PreviewBody,
    PrivacyRequestBody,
    PrivacyRequests,
    PrivacyRequestShown,
    Review,
    UnknownSpeaker,
)
from service.model.paging import RankingCursor
from service.model.privacy import PrivacyRequestState
from service.usecases.privacy_requests import NewRequest
from service.usecases.rectification.corrections import Wrong

router = APIRouter(prefix="/v1/privacy-requests", tags=["privacy"], responses=documented(*TENANT_WRITES))
REQUESTS_DEFAULT = 50
REQUESTS_MAX = 500
REVIEW_DEFAULT = 50
REVIEW_MAX = 200
"""Each with its payload."""


@router.post("", status_code=201, summary="Record what a person asks for")
async def make(body: PrivacyRequestBody, caller: Officer, rights: Rights) -> PrivacyRequestShown:
    """A restriction holds from now on; everything else waits for a second person.

    404 where nobody is called so, 410 `erased` where the person was erased already.
    """
    new = NewRequest(
        body.request_id,
        body.request_kind,
        body.user_id,
        body.received_at,
        tuple(body.names),
        tuple(Wrong(one.event.model_dump(), one.text, one.fields) for one in body.corrections),
    )
    return PrivacyRequestShown(**await rights.requests.make(caller, new))


@router.get("", summary="List what people asked for")
async def listed(
    caller: Officer,
    rights: Rights,
    state: Annotated[list[PrivacyRequestState] | None, Query(description="One or several.")] = None,
    overdue: Annotated[bool, Query(description="Only those whose deadline has passed.")] = False,
    limit: Annotated[int, Query(ge=1, le=REQUESTS_MAX)] = REQUESTS_DEFAULT,
    cursor: Continued = None,
) -> PrivacyRequests:
    """Soonest due first, so that the overdue ones stand at the top."""
    page = RankingCursor.decode(cursor) or RankingCursor(rights.requests.tools.clock(), 0)
    states = list(state or ())
    found = await rights.requests.listed(caller, states, overdue, page.offset, limit)
    more = replace(page, offset=page.offset + limit).encode() if len(found) == limit else None
    return PrivacyRequests(requests=[PrivacyRequestShown(**row) for row in found], next_cursor=more)


@router.get("/{request_id}", summary="Read where a request stands")
async def read(request_id: str, caller: Officer, rights: Rights) -> PrivacyRequestShown:
    """With its plan before it is carried out, and its signed receipt after it."""
    return PrivacyRequestShown(**await rights.requests.read(caller, request_id))


@router.get(
    "/{request_id}/export",
    summary="Fetch an export",
    response_class=Response,
    responses={200: {"content": {"application/zip": {}}, "description": "The archive."}},
)
async def export(request_id: str, caller: Officer, rights: Rights) -> Response:
    """`data.json`, `read-me.html` and `manifest.json` with their hashes and counts, for 30 days; then, and
    when the person is erased, 410 `erased`."""
    data = await rights.requests.export(caller, request_id)
    return Response(data, media_type="application/zip")


@router.get("/{request_id}/corrections", summary="Read what a rectification puts right")
async def corrections(request_id: str, caller: Officer, rights: Rights) -> Corrections:
    """For who is to approve it. Empty where nothing is kept of it any more."""
    found = await rights.requests.corrections(caller, request_id)
    return Corrections(corrections=[CorrectionShown(**row) for row in found])


@router.get("/{request_id}/review", summary="Read what the plan of an erasure lists for review")
async def review(
    request_id: str,
    caller: Officer,
    rights: Rights,
    limit: Annotated[int, Query(ge=1, le=REVIEW_MAX)] = REVIEW_DEFAULT,
    cursor: Continued = None,
) -> Review:
    """The events of others with what they say, by the uids of the newest plan, and seats of unknown speakers.

    404 before the first preview.
    """
    page = RankingCursor.decode(cursor) or RankingCursor(rights.requests.tools.clock(), 0)
    events, seats, more = await rights.review(caller, request_id, page.offset, limit)
    return Review(
        events=[ListedEvent(**row) for row in events],
        unknown_speakers=[UnknownSpeaker(**row) for row in seats],
        next_cursor=replace(page, offset=page.offset + limit).encode() if more else None,
    )


@router.post(
    "/{request_id}/preview",
    summary="Work out what would be done",
    responses={202: {"model": PrivacyRequestShown, "description": "It takes longer, and goes on."}},
)
async def preview(
    request_id: str, body: PreviewBody, caller: Officer, rights: Rights, response: Response
) -> PrivacyRequestShown:
    """Changes nothing but the request. The plan's digest is what a second person approves.

    202 without a plan where it takes longer than 5 seconds: it goes on. Read the request until it stands at
    `previewed`, or ask again with the same decisions: that waits for the same preview, and says what went
    wrong with it. 409 `conflict` while one with other decisions is under way.
    """
    row = await rights.previews(caller, request_id, body.decisions)
    if row is None:
        response.status_code = 202
        row = await rights.requests.read(caller, request_id)
    return PrivacyRequestShown(**row)


@router.post("/{request_id}/approve", summary="Approve a request, as a second person")
async def approve(request_id: str, body: ApproveBody, caller: Officer, rights: Rights) -> PrivacyRequestShown:
    """By another API key than the one that made it. It is carried out from now on; read it to see how far.

    409 `conflict` for the same key, another digest, or a request that stands elsewhere. Where the graph has
    moved since the plan by more than the configuration tolerates, the request goes back to `received`.
    """
    told = await rights.requests.approve(caller, request_id, body.plan_digest)
    await rights.carrying_out.note()
    return PrivacyRequestShown(**told)


@router.post("/{request_id}/cancel", summary="Take a request back")
async def cancel(request_id: str, caller: Officer, rights: Rights) -> PrivacyRequestShown:
    """While nothing was destroyed for it."""
    return PrivacyRequestShown(**await rights.requests.cancel(caller, request_id))


@router.post("/{request_id}/deny", summary="Say that a request is not carried out")
async def deny(request_id: str, body: DenyBody, caller: Officer, rights: Rights) -> PrivacyRequestShown:
    """With the reason that the person is told."""
    return PrivacyRequestShown(**await rights.requests.deny(caller, request_id, body.reason))


@router.post("/{request_id}/extend", summary="Take two more months")
async def extend(request_id: str, body: ExtendBody, caller: Officer, rights: Rights) -> PrivacyRequestShown:
    """Once, before the deadline, with the reason that the person is told."""
    return PrivacyRequestShown(**await rights.requests.extend(caller, request_id, body.reason))


@router.post("/{request_id}/lift", summary="End a restriction")
async def lift(request_id: str, caller: Officer, rights: Rights) -> PrivacyRequestShown:
    """What was hidden is shown again."""
    return PrivacyRequestShown(**await rights.requests.lift(caller, request_id))
