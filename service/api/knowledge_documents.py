"""Knowledge documents: what answers questions beyond one conversation."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from service.api.assemblies import Consistency
from service.api.auth import Reader, Reviewer, UseCases
from service.api.branches import MESSAGES_DEFAULT, Limit
from service.api.contract import TENANT_READS, TENANT_WRITES, documented
from service.api.shapes.knowledge import (
    Document,
    DocumentBody,
    DocumentDecisionBody,
    Documents,
    ListedDocument,
)
from service.api.shapes.learning import VERSION_MAX
from service.model.caller import Caller
from service.model.events import ClientId, UtcTime
from service.model.vocabulary import ReviewAction
from service.usecases.keep_knowledge import NewVersion, Reviewed

router = APIRouter(prefix="/v1/knowledge-documents", tags=["knowledge"])
WRITES = documented(*TENANT_WRITES)
QUERY_CHARS_MAX = 1_000
Since = Annotated[UtcTime | None, Query(description="What the page before answered as `next_cursor`.")]
DocumentId = Annotated[ClientId, Path(description="Yours; of an approved candidate its `candidate_id`.")]


@router.get("", summary="List the published documents", responses=documented(*TENANT_READS))
async def documents(
    caller: Reader,
    use: UseCases,
    token: Consistency,
    query: Annotated[str | None, Query(min_length=1, max_length=QUERY_CHARS_MAX)] = None,
    limit: Limit = MESSAGES_DEFAULT,
    cursor: Since = None,
) -> Documents:
    """Newest first; with `query` those that answer to it, best first and all on one page."""
    if query is not None:
        found, more = await use.keep_knowledge.found(caller, query, limit, token), None
    else:
        found = await use.keep_knowledge.listed(caller, cursor, limit, token)
        more = found[-1]["created_at"] if len(found) == limit else None
    shown = [
        ListedDocument(**{name: row[name] for name in ListedDocument.model_fields if name in row})
        for row in found
    ]
    return Documents(documents=shown, next_cursor=written(more))


@router.put("/{document_id}", summary="Publish a document, or its next version", responses=WRITES)
async def put(
    document_id: DocumentId, body: DocumentBody, caller: Reviewer, use: UseCases, response: Response
) -> Document:
    """From now on contexts may have pieces of it, and none of the version before. The same again changes
    nothing."""
    new = NewVersion(body.title, body.text, body.source, body.privacy_class)
    told, written = await use.keep_knowledge.put(
        caller, document_id, new, body.subject_ids, body.expected_version
    )
    response.headers["Consistency-Token"] = written.encode(use.secret)
    return Document(**told)


@router.get("/{document_id}", summary="Read a document", responses=documented(*TENANT_READS))
async def document(
    document_id: DocumentId,
    caller: Reader,
    use: UseCases,
    token: Consistency,
    version: Annotated[
        int | None, Query(ge=1, le=VERSION_MAX, description="Left out: the newest one, also where it ended.")
    ] = None,
) -> Document:
    """One version with where it comes from."""
    return Document(**await use.keep_knowledge.show(caller, document_id, version, token))


@router.post("/{document_id}/retract", summary="Take a document back", responses=WRITES)
async def retract(
    document_id: DocumentId, body: DocumentDecisionBody, caller: Reviewer, use: UseCases, response: Response
) -> Document:
    """No context has it any more. It stays readable here, and is restored with `restore`."""
    return await _decided(caller, use, response, document_id, ReviewAction.RETRACT, body)


@router.post("/{document_id}/restore", summary="Publish a retracted document again", responses=WRITES)
async def restore(
    document_id: DocumentId, body: DocumentDecisionBody, caller: Reviewer, use: UseCases, response: Response
) -> Document:
    """Its newest text, as a version of its own."""
    return await _decided(caller, use, response, document_id, ReviewAction.RESTORE, body)


def written(cursor: datetime | None) -> str | None:
    """Where a page ended, for a query parameter."""
    return cursor.isoformat().replace("+00:00", "Z") if cursor else None


async def _decided(
    caller: Caller,
    use: UseCases,
    response: Response,
    document_id: str,
    action: ReviewAction,
    body: DocumentDecisionBody,
) -> Document:
    told, written = await use.keep_knowledge.decide(
        caller, document_id, Reviewed(action, **body.model_dump())
    )
    response.headers["Consistency-Token"] = written.encode(use.secret)
    return Document(**told)
