"""What a claim rests on."""

from __future__ import annotations

from typing import Any

from service.api.shapes.assembly import Omission
from service.api.shapes.recording import Answer
from service.model.events import DocumentReference
from service.model.vocabulary import CallStatus, EvidenceRole
from service.usecases.trace_evidence import EvidenceStatus


class EventPlace(Answer):
    """An entry of the log: `GET /v1/events/{uid}` shows it, and its hash is what a tree head vouches for."""

    seq: int
    uid: str
    hash: str


class ArtifactEvidence(Answer):
    """A tool's exact result."""

    call_id: str
    tool_name: str | None = None
    call_status: CallStatus | None = None
    artifact_uid: str | None = None
    result_sha256: str | None = None
    result_bytes: int | None = None
    call: EventPlace | None = None
    result: EventPlace | None = None


class MessageEvidence(Answer):
    """Something said."""

    message_id: str
    uid: str | None = None
    event: EventPlace | None = None


class CompactionEvidence(Answer):
    """The compaction that stood: its summary was seen in place of what it covers."""

    compaction_id: str
    until_seq: int
    """The last seq that it covers. The branch's transcript has its lines."""
    event: EventPlace | None = None


class AssemblyEvidence(Answer):
    """The context that a run was given, and what that left out: what was no longer considered."""

    assembly_id: str
    head: int | None = None
    """The branch's newest seq that it could consider; nothing is told where the record is gone."""
    omissions: list[Omission] | None = None
    compaction: CompactionEvidence | None = None
    """Not there where older turns were seen as they are."""


class RunEvidence(Answer):
    """A model run."""

    run_id: str
    uid: str | None = None
    provider: str | None = None
    model: str | None = None
    event: EventPlace | None = None
    assembly: AssemblyEvidence | None = None


class Evidence(Answer):
    """One link, with what it leads to."""

    role: EvidenceRole
    status: EvidenceStatus
    artifact: ArtifactEvidence | None = None
    message: MessageEvidence | None = None
    run: RunEvidence | None = None
    claim_id: str | None = None
    """It stands among `claims`."""
    document: DocumentReference | None = None


class ClaimEvidence(Answer):
    """A claim with its links."""

    claim_id: str
    uid: str
    status: EvidenceStatus
    """Of the claim's own event."""
    event: EventPlace | None
    text: str | None
    value: Any
    replaces_claim_id: str | None
    replaced_by_claim_ids: list[str]
    """Newer claims on this lineage that correct it."""
    run: Evidence | None = None
    """The run that made it."""
    message: Evidence | None = None
    """Where it was said."""
    rests_on: list[Evidence] | None = None
    """As it was recorded; not there where it was not walked, or where the claim's payload is gone."""


class EvidenceChain(Answer):
    """All that a claim rests on, down to the raw sources."""

    claim_id: str
    claims: list[ClaimEvidence]
    """The claim itself first, then those that it rests on, each once."""
    statuses: dict[EvidenceStatus, int]
    """How many links stand in which way."""
    not_walked: list[str]
    """Claims whose own links would lead beyond the limit of 512: ask for them by themselves."""
