"""Events about what is asserted, and what that rests on."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from service.model.chain import canonical
from service.model.events.base import ClientId, Governed, Json, Name, Strict, Text
from service.model.vocabulary import EvidenceRole

CLAIM_CHARS_MAX = 4000
VALUE_BYTES_MAX = 4096
LINKS_PER_CLAIM_MAX = 64


class DocumentReference(Strict):
    """A file that the platform keeps, named so that its bytes can be told from any others."""

    name: Name
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    """Of its bytes, in lower-case hex."""


class EvidenceLink(Strict):
    """One thing that a claim rests on: exactly one target, recorded before the claim."""

    role: EvidenceRole
    """As what the target stands behind the claim; not held against what the target is."""
    call_id: ClientId | None = None
    """A call that has its result on this lineage."""
    message_id: ClientId | None = None
    run_id: ClientId | None = None
    claim_id: ClientId | None = None
    document: DocumentReference | None = None

    @model_validator(mode="after")
    def has_one_target(self) -> EvidenceLink:
        """A link leads to one thing."""
        targets = (self.call_id, self.message_id, self.run_id, self.claim_id, self.document)
        if sum(target is not None for target in targets) != 1:
            raise ValueError("needs exactly one of call_id, message_id, run_id, claim_id and document")
        return self


class ClaimEvent(Governed):
    """Something asserted, with what it rests on. A correction is a new claim that replaces the old one."""

    kind: Literal["claim"]
    claim_id: ClientId
    text: Annotated[Text, StringConstraints(min_length=1, max_length=CLAIM_CHARS_MAX)]
    value: Json = None
    """The same as data, such as the number."""
    run_id: ClientId | None = None
    """The model run that made it."""
    message_id: ClientId | None = None
    """Where it was said."""
    rests_on: Annotated[list[EvidenceLink], Field(min_length=1, max_length=LINKS_PER_CLAIM_MAX)]
    replaces_claim_id: ClientId | None = None
    """The claim that this one corrects; it stays."""

    @model_validator(mode="after")
    def has_a_small_value(self) -> ClaimEvent:
        """What is large is an artifact, and the claim rests on it."""
        if len(canonical(self.value).encode()) > VALUE_BYTES_MAX:
            raise ValueError(f"value has more than {VALUE_BYTES_MAX} bytes as JSON")
        return self
