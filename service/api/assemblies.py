"""Assembling contexts, and explaining them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, BackgroundTasks, Depends, Header, Response

from service.api.auth import Assembler, Reader, UseCases
from service.api.contract import TENANT_WRITES, documented
from service.api.shapes.assembly import (
    AssembleBody,
    AssembledContext,
    CachePrefix,
    ContextItem,
    ContextSection,
    Omission,
    ReplayBody,
    Replayed,
    TokenArithmetic,
    WhyNot,
)
from service.api.shapes.cost import TurnShown
from service.model.consistency import TOKEN_CHARS_MAX, ConsistencyToken
from service.telemetry import count_assembly
from service.usecases.assemble_context import AssembleRequest
from service.usecases.assembly.choosing import Where
from service.usecases.explain_assembly import told
from service.usecases.read_transcript import Place

router = APIRouter(prefix="/v1", tags=["assembly"], responses=documented(*TENANT_WRITES))


async def _sent(
    use: UseCases,
    consistency_token: Annotated[
        str | None,
        Header(
            max_length=TOKEN_CHARS_MAX,
            description="Read a state that has the write which answered this token.",
        ),
    ] = None,
) -> ConsistencyToken:
    return ConsistencyToken.decode(consistency_token, use.secret)


Consistency = Annotated[ConsistencyToken, Depends(_sent)]


@router.post("/assemble", status_code=201, summary="Assemble the context for the next model call")
async def assemble(
    body: AssembleBody,
    caller: Assembler,
    use: UseCases,
    response: Response,
    token: Consistency,
    afterwards: BackgroundTasks,
) -> AssembledContext:
    """What the model needs to see now, and may see, within the budget; every decision is recorded.

    422 `budget_too_small` names the least budget that holds what must enter.
    """
    made = await use.assemble_context(
        caller,
        AssembleRequest(
            where=Where(body.conversation_id, body.branch_id, body.participant_id),
            provider=body.provider,
            model=body.model,
            runtime_kind=body.runtime_kind,
            budget_tokens=body.budget_tokens,
            profile=body.profile,
            format=body.format,
            tools=tuple(body.tools),
            token=token,
            exact=tuple(body.exact),
            question=body.question,
            preview=body.preview,
            trace=body.trace,
            cached=body.cache,
        ),
    )
    if made.due_compaction_id is not None:
        place = Place(body.conversation_id, body.branch_id, None)
        afterwards.add_task(use.compact_branch.when_due, caller, place, made.due_compaction_id)
    record = made.record
    count_assembly(record, made.omissions)
    full, assembled = record["full_transcript_tokens"], record["assembled_tokens"]
    response.headers["Consistency-Token"] = answered = made.token.encode(use.secret)
    return AssembledContext(
        assembly_id=None if body.preview else record["uid"],
        sections=[
            ContextSection(
                section=s.section.value,
                role=s.role.value,
                authoritative=s.authoritative,
                text=s.text,
                tokens=s.tokens,
                items=[
                    ContextItem(uid=i.uid, kind=i.kind, seq=i.seq, tokens=i.tokens, why=i.why)
                    for i in s.items
                ],
            )
            for s in made.written.sections
        ],
        request=made.request,
        tokens=TokenArithmetic(
            encoding=record["encoding"],
            budget=record["budget_tokens"],
            full_transcript=full,
            assembled=assembled,
            saved=full - assembled,
            saved_share=round(1 - assembled / full, 4) if full else 0.0,
        ),
        cache_until=CachePrefix(**asdict(made.prefix)),
        turn=TurnShown(**made.turn.told()) if made.turn else None,
        omissions=[Omission(**entry) for entry in told(made.omissions)],
        redacted_count=record["redacted_count"],
        policy_version=record["policy_version"],
        assembler_version=record["assembler_version"],
        configuration_version=record["configuration_version"],
        head=record["head"],
        timings_ms={name: record[f"{name}_ms"] for name in ("graph", "policy", "render")},
        consistency_token=answered,
    )


@router.get("/assemblies/{assembly_id}", summary="Explain an assembly")
async def explain(assembly_id: str, caller: Reader, use: UseCases, token: Consistency) -> dict[str, Any]:
    """What was considered, what went in and why, what stayed out and by which rule. Ids and numbers only."""
    return await use.explain_assembly(caller, assembly_id, token)


@router.get("/assemblies/{assembly_id}/why-not/{item_id}", summary="Why an item was not in an assembly")
async def why_not(assembly_id: str, item_id: str, caller: Reader, use: UseCases) -> WhyNot:
    """The rule, its settings, and what would have to change. Recomputed from the record's own inputs.

    `item_id` is an item's uid, or the client's id of a message or call.
    """
    return WhyNot(**await use.explain_assembly.why_not(caller, assembly_id, item_id))


@router.post("/assemblies/{assembly_id}/replay", summary="Choose again, and compare")
async def replay(assembly_id: str, caller: Reader, use: UseCases, body: ReplayBody | None = None) -> Replayed:
    """The same choice over the same graph state: recorded head, clock and configuration.

    With `configuration_number` the choice is made under that version instead; `diff` says what it changes.
    """
    number = body.configuration_number if body else None
    return Replayed(**await use.replay_assembly(caller, assembly_id, number))


@router.get("/messages/{message_id}/why", summary="From an answer to the context behind it")
async def why(message_id: str, caller: Reader, use: UseCases, token: Consistency) -> dict[str, Any]:
    """The run that produced a message, and the explanation of the assembly that the run used."""
    return await use.explain_assembly.message(caller, message_id, token)
