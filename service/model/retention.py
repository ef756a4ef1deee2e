"""How long each label's nodes are kept where a tenant says nothing, in one total table.

Source: the specification's retention classes; schema/GRAPH.md shows each label's. Of the classes only the
transient goes by default: what a tenant wants gone sooner it says in its configuration.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from service.model.vocabulary import Label


class RetentionClass(StrEnum):
    """How long a label's nodes are kept, shortest first."""

    TRANSIENT = "transient"
    SESSION = "session"
    TIME_LIMITED = "time_limited"
    DURABLE = "durable"
    PERMANENT = "permanent"
    AUDIT = "audit"


DEFAULTS: Final[dict[RetentionClass, str]] = {
    RetentionClass.TRANSIENT: "goes by itself, past its cut-off, where nothing refers to it",
    RetentionClass.SESSION: "kept, unless a rule of the tenant ends it; of use while work goes on",
    RetentionClass.TIME_LIMITED: "kept, unless a rule of the tenant ends it",
    RetentionClass.DURABLE: "kept until it is taken back, or its person is erased",
    RetentionClass.PERMANENT: "kept as long as its tenant",
    RetentionClass.AUDIT: "kept as long as its tenant, as evidence: hashes, counts, pseudonyms and times",
}
"""What becomes of a class by default."""

CLASSES: Final[dict[Label, RetentionClass]] = {
    Label.TENANT: RetentionClass.PERMANENT,
    Label.API_KEY: RetentionClass.PERMANENT,
    Label.TENANT_CONFIGURATION: RetentionClass.AUDIT,
    Label.USER: RetentionClass.PERMANENT,
    Label.CONVERSATION: RetentionClass.PERMANENT,
    Label.BRANCH: RetentionClass.PERMANENT,
    Label.PARTICIPANT: RetentionClass.PERMANENT,
    Label.MESSAGE: RetentionClass.TIME_LIMITED,
    Label.MODEL_RUN: RetentionClass.TIME_LIMITED,
    Label.TOOL_CALL: RetentionClass.TIME_LIMITED,
    Label.TOOL_ARTIFACT: RetentionClass.TIME_LIMITED,
    Label.TOOL_MEMORY: RetentionClass.TIME_LIMITED,
    Label.USER_MEMORY: RetentionClass.DURABLE,
    Label.CLAIM: RetentionClass.DURABLE,
    Label.JUDGEMENT: RetentionClass.TIME_LIMITED,
    Label.LEARNING_CANDIDATE: RetentionClass.TIME_LIMITED,
    Label.REVIEW_DECISION: RetentionClass.AUDIT,
    Label.KNOWLEDGE_DOCUMENT: RetentionClass.DURABLE,
    Label.KNOWLEDGE_PASSAGE: RetentionClass.DURABLE,
    Label.PIN: RetentionClass.SESSION,
    Label.SKILL_STATE: RetentionClass.SESSION,
    Label.WORKING_MEMORY: RetentionClass.SESSION,
    Label.CONTINUATION_CHECKPOINT: RetentionClass.SESSION,
    Label.COMPACTION: RetentionClass.TIME_LIMITED,
    Label.SUMMARY_LINE: RetentionClass.TIME_LIMITED,
    Label.QUERY: RetentionClass.TRANSIENT,
    Label.RESPONSE: RetentionClass.TRANSIENT,
    Label.PRODUCT: RetentionClass.DURABLE,
    Label.DOCUMENT: RetentionClass.DURABLE,
    Label.BOOKING: RetentionClass.DURABLE,
    Label.COMPETITOR_PRICE: RetentionClass.DURABLE,
    Label.ENTITY_NAME: RetentionClass.DURABLE,
    Label.INSIGHT: RetentionClass.TRANSIENT,
    Label.CONTEXT_ASSEMBLY: RetentionClass.TIME_LIMITED,
    Label.POLICY_DECISION: RetentionClass.TIME_LIMITED,
    Label.PRIVACY_REQUEST: RetentionClass.AUDIT,
    Label.LEGAL_HOLD: RetentionClass.AUDIT,
    Label.NOTICE: RetentionClass.AUDIT,
    Label.ERASED_ID: RetentionClass.AUDIT,
    Label.EVENT: RetentionClass.AUDIT,
    Label.PAYLOAD: RetentionClass.TIME_LIMITED,
    Label.TREE_HEAD: RetentionClass.AUDIT,
    Label.IDEMPOTENCY_RECORD: RetentionClass.TRANSIENT,
    Label.MIGRATION: RetentionClass.PERMANENT,
    Label.MIGRATION_LOCK: RetentionClass.TRANSIENT,
    Label.JOB_LEASE: RetentionClass.TRANSIENT,
    Label.LEDGER_MARK: RetentionClass.AUDIT,
}
"""Every label's class."""
