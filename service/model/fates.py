"""What becomes of each label's nodes when a person is erased, in one total table.

Source: the specification's cascade and ADR 0020; schema/GRAPH.md shows it beside each label.
"""

from __future__ import annotations

from typing import Final

from service.model.vocabulary import Label

_OWN: Final = "erased where it is the person's; where others are named too, the person is taken out of it"
_SERVICE: Final = "kept: it holds nothing of anybody"
_SHARED: Final = "kept: all share it"

FATES: Final[dict[Label, str]] = {
    Label.TENANT: _SERVICE,
    Label.API_KEY: _SERVICE,
    Label.TENANT_CONFIGURATION: _SERVICE,
    Label.USER: "the pseudonym stays; ids, aliases and edges to what the person did go",
    Label.CONVERSATION: "its ids and title go where it is the person's alone; else it stays",
    Label.BRANCH: "the same; numbers and hashes stay, for the log",
    Label.PARTICIPANT: "its ids and names go where the seat, or the whole conversation, is the person's",
    Label.MESSAGE: _OWN,
    Label.MODEL_RUN: _OWN,
    Label.TOOL_CALL: _OWN,
    Label.TOOL_ARTIFACT: _OWN,
    Label.TOOL_MEMORY: _OWN,
    Label.USER_MEMORY: f"{_OWN}; erased too where it is about the person",
    Label.CLAIM: _OWN,
    Label.JUDGEMENT: "erased with its answer",
    Label.LEARNING_CANDIDATE: "erased with its question or its answer",
    Label.REVIEW_DECISION: "erased with what it decided on",
    Label.KNOWLEDGE_DOCUMENT: "erased with its question or its answer; names are redacted in one of others",
    Label.KNOWLEDGE_PASSAGE: "as its document",
    Label.PIN: _OWN,
    Label.SKILL_STATE: _OWN,
    Label.WORKING_MEMORY: "erased where it is the person's; else put together anew from what is others'",
    Label.CONTINUATION_CHECKPOINT: _OWN,
    Label.COMPACTION: "erased where the conversation is the person's alone",
    Label.SUMMARY_LINE: "erased with its last source; else told again from those that are left",
    Label.QUERY: "erased with its last question or its last answer; else worded by who is left",
    Label.RESPONSE: "erased with its answer",
    Label.PRODUCT: _SHARED,
    Label.DOCUMENT: _SHARED,
    Label.BOOKING: "erased where it is the person's",
    Label.COMPETITOR_PRICE: _SHARED,
    Label.ENTITY_NAME: "erased with the last thing that it names",
    Label.INSIGHT: "erased with any of its sources, and drawn again from those that are left",
    Label.CONTEXT_ASSEMBLY: "erased in a conversation of the person's own; else it holds numbers and our ids",
    Label.POLICY_DECISION: "as its assembly or its event",
    Label.PRIVACY_REQUEST: "kept: pseudonyms, counts and times",
    Label.LEGAL_HOLD: "kept: a pseudonym, a basis and times",
    Label.NOTICE: "kept: a recipient, times, and where it is filed",
    Label.ERASED_ID: "kept: a keyed digest, by which the id is refused",
    Label.EVENT: "the envelope stays and says what destroyed its payload",
    Label.PAYLOAD: "destroyed with its salt; of an event of others, another one has it in other words",
    Label.TREE_HEAD: "kept: hashes, signed",
    Label.IDEMPOTENCY_RECORD: "erased where it names an event of the person",
    Label.MIGRATION: _SERVICE,
    Label.MIGRATION_LOCK: _SERVICE,
    Label.JOB_LEASE: _SERVICE,
    Label.LEDGER_MARK: _SERVICE,
}
