"""The closed vocabulary of the graph: every label, relationship type and enumeration, stated once.

Source: the specification's runtime graph model; docs/glossary.md explains each word.
"""

from __future__ import annotations

from enum import StrEnum


class Label(StrEnum):
    """Node labels that the service writes."""

    TENANT = "Tenant"
    API_KEY = "ApiKey"
    TENANT_CONFIGURATION = "TenantConfiguration"
    USER = "User"
    CONVERSATION = "Conversation"
    BRANCH = "Branch"
    PARTICIPANT = "Participant"
    MESSAGE = "Message"
    MODEL_RUN = "ModelRun"
    TOOL_CALL = "ToolCall"
    TOOL_ARTIFACT = "ToolArtifact"
    TOOL_MEMORY = "ToolMemory"
    USER_MEMORY = "UserMemory"
    CLAIM = "Claim"
    JUDGEMENT = "Judgement"
    LEARNING_CANDIDATE = "LearningCandidate"
    REVIEW_DECISION = "ReviewDecision"
    KNOWLEDGE_DOCUMENT = "KnowledgeDocument"
    KNOWLEDGE_PASSAGE = "KnowledgePassage"
    PIN = "Pin"
    SKILL_STATE = "SkillState"
    WORKING_MEMORY = "WorkingMemory"
    CONTINUATION_CHECKPOINT = "ContinuationCheckpoint"
    COMPACTION = "Compaction"
    SUMMARY_LINE = "SummaryLine"
    QUERY = "Query"
    RESPONSE = "Response"
    PRODUCT = "Product"
    DOCUMENT = "Document"
    BOOKING = "Booking"
    COMPETITOR_PRICE = "CompetitorPrice"
    ENTITY_NAME = "EntityName"
    INSIGHT = "Insight"
    CONTEXT_ASSEMBLY = "ContextAssembly"
    POLICY_DECISION = "PolicyDecision"
    PRIVACY_REQUEST = "PrivacyRequest"
    LEGAL_HOLD = "LegalHold"
    NOTICE = "Notice"
    ERASED_ID = "ErasedId"
    EVENT = "Event"
    PAYLOAD = "Payload"
    TREE_HEAD = "TreeHead"
    IDEMPOTENCY_RECORD = "IdempotencyRecord"
    MIGRATION = "Migration"
    MIGRATION_LOCK = "MigrationLock"
    JOB_LEASE = "JobLease"
    LEDGER_MARK = "LedgerMark"


class Relationship(StrEnum):
    """Relationship types that the service writes."""

    INHERITS = "INHERITS"  # Branch -> Branch
    MERGES = "MERGES"  # Branch -> Branch
    DERIVED_FROM = "DERIVED_FROM"  # what was made -> what it was made from
    ABOUT = "ABOUT"  # UserMemory -> User
    SUBJECT_OF = "SUBJECT_OF"  # User -> Conversation
    SAME_AS = "SAME_AS"  # User -> User, the one that stays
    ASKS_FOR = "ASKS_FOR"  # PrivacyRequest -> User
    HOLDS = "HOLDS"  # LegalHold -> User
    TELLS_OF = "TELLS_OF"  # Notice -> PrivacyRequest
    SUPERSEDES = "SUPERSEDES"  # UserMemory -> UserMemory
    CONFLICTS_WITH = "CONFLICTS_WITH"  # UserMemory -> UserMemory, once for both ways
    JUDGES = "JUDGES"  # Judgement -> Message
    CONCERNS = "CONCERNS"  # LearningCandidate -> Message
    HAS_PASSAGE = "HAS_PASSAGE"  # KnowledgeDocument -> KnowledgePassage
    PRODUCED = "PRODUCED"  # ModelRun -> Message or Claim
    RESTS_ON = "RESTS_ON"  # Claim -> ToolArtifact, Message, ModelRun or Claim
    REPLACES = "REPLACES"  # Claim -> Claim; KnowledgeDocument -> KnowledgeDocument
    REQUESTED = "REQUESTED"  # ModelRun -> ToolCall
    RESULTED_IN = "RESULTED_IN"  # ToolCall -> ToolArtifact
    INCLUDED = "INCLUDED"  # ContextAssembly -> ToolMemory, UserMemory or KnowledgePassage
    PINS = "PINS"  # Pin -> Message
    SHARED_WITH = "SHARED_WITH"  # Message or ToolMemory -> Participant, by a release
    REHYDRATED = "REHYDRATED"  # ContextAssembly -> ToolArtifact
    BUILT_ON = "BUILT_ON"  # ContextAssembly -> Compaction
    HAS_LINE = "HAS_LINE"  # Compaction -> SummaryLine
    SUMMARISES = "SUMMARISES"  # SummaryLine -> Message or ToolMemory
    FOLDS = "FOLDS"  # SummaryLine -> SummaryLine
    SEARCHED_FOR = "SEARCHED_FOR"  # Query -> Product
    ASKED_ABOUT = "ASKED_ABOUT"  # Query -> Document, Booking or CompetitorPrice
    ANSWERED_BY = "ANSWERED_BY"  # Query -> Response
    CITED = "CITED"  # Response -> Document
    USED_TOOL = "USED_TOOL"  # Response -> ToolCall
    BOOKED = "BOOKED"  # User or Booking -> Product
    VIEWED = "VIEWED"  # User -> Product
    SIMILAR_TO = "SIMILAR_TO"  # Product -> Product
    PRICED_AGAINST = "PRICED_AGAINST"  # Product -> CompetitorPrice
    NAMES = "NAMES"  # EntityName -> Product, Document, Booking or CompetitorPrice
    RATED = "RATED"  # User -> Message
    DECIDED_BY = "DECIDED_BY"  # ContextAssembly -> PolicyDecision; what is reviewed -> ReviewDecision
    RESUMED_FROM = "RESUMED_FROM"  # ModelRun -> ContinuationCheckpoint
    USED = "USED"  # ModelRun -> ContextAssembly (PROV's word)
    REDACTS = "REDACTS"  # Event -> Event
    HAS_PAYLOAD = "HAS_PAYLOAD"  # Event -> Payload


class EventKind(StrEnum):
    """What an event records."""

    CONVERSATION = "conversation"
    PARTICIPANT = "participant"
    FORK = "fork"
    RENAME = "rename"
    CLOSE = "close"
    REOPEN = "reopen"
    MERGE = "merge"
    MESSAGE = "message"
    MODEL_RUN = "model_run"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    CLAIM = "claim"
    USER_MEMORY = "user_memory"
    RETRACT = "retract"
    PIN = "pin"
    UNPIN = "unpin"
    SKILL_STATE = "skill_state"
    WORKING_MEMORY = "working_memory"
    CHECKPOINT = "checkpoint"
    RESUME = "resume"
    RELEASE = "release"
    COMPACTION = "compaction"
    REDACTION = "redaction"


class Visibility(StrEnum):
    """Who may see an item. Anything unknown is treated as `audit`: nobody's model sees it."""

    PARTICIPANT = "participant"
    BRANCH = "branch"
    CONVERSATION = "conversation"
    AUDIT = "audit"


class PrivacyClass(StrEnum):
    """How sensitive an item is, mildest first."""

    PUBLIC = "public"
    INTERNAL = "internal"
    PERSONAL = "personal"
    SENSITIVE = "sensitive"
    SECRET = "secret"

    @classmethod
    def strictest(cls, *classes: PrivacyClass) -> PrivacyClass:
        """The most sensitive of several classes."""
        return max(classes, key=list(cls).index)


class EvidenceRole(StrEnum):
    """As what something stands behind a claim."""

    QUERY = "query"
    DOCUMENT = "document"
    RUN = "run"
    CHECK = "check"
    MESSAGE = "message"
    CLAIM = "claim"


class MemoryKind(StrEnum):
    """What a user memory tells of its person."""

    FACT = "fact"
    PREFERENCE = "preference"
    INSTRUCTION = "instruction"


class Factor(StrEnum):
    """What an answer's confidence is made of, heaviest first."""

    RETRIEVAL = "retrieval"
    POLICY = "policy"
    COMPLETENESS = "completeness"
    MEMORY = "memory"


class FactorSource(StrEnum):
    """Where the value of a factor comes from."""

    CALLER = "caller"
    ASSEMBLY = "assembly"
    MISSING = "missing"


class Feedback(StrEnum):
    """What somebody made of an answer."""

    POSITIVE = "positive"
    NEGATIVE = "negative"


class FailureClass(StrEnum):
    """What is likely wrong with an answer; the first that holds."""

    NEGATIVE_FEEDBACK = "negative_feedback"
    HALLUCINATION_SIGNAL = "hallucination_signal"
    RETRIEVAL_MISS = "retrieval_miss"
    POLICY_BLOCK = "policy_block"
    INCOMPLETE_CONTEXT = "incomplete_context"
    STALE_MEMORY = "stale_memory"


class ReviewState(StrEnum):
    """Where a learning candidate stands in its review."""

    OPEN = "open"
    ASSIGNED = "assigned"
    APPROVED = "approved"
    REJECTED = "rejected"
    REOPENED = "reopened"


class ReviewAction(StrEnum):
    """What a reviewer does: the first four to a learning candidate, the others to a knowledge document."""

    ASSIGN = "assign"
    APPROVE = "approve"
    REJECT = "reject"
    REOPEN = "reopen"
    RETRACT = "retract"
    RESTORE = "restore"


class Freshness(StrEnum):
    """How a tool memory ages."""

    VOLATILE = "volatile"
    SESSION = "session"
    TIME_LIMITED = "time_limited"
    DURABLE = "durable"
    PERMANENT = "permanent"


class CallStatus(StrEnum):
    """What became of a tool call."""

    EXECUTED = "executed"
    FAILED = "failed"
    PENDING = "pending"
    DEFERRED = "deferred"
    CANCELLED = "cancelled"


class ResolutionStatus(StrEnum):
    """How reading a memory's source went last."""

    RESOLVED = "resolved"
    UNREADABLE = "unreadable"


class RunStatus(StrEnum):
    """What became of a model run."""

    STARTED = "started"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class RuntimeKind(StrEnum):
    """The mode a model run belongs to."""

    CHAT = "chat"
    MULTI_MODEL = "multi_model"
    DISCUSSION = "discussion"
    SUBAGENT = "subagent"
    CONTINUATION = "continuation"
    SCHEDULED = "scheduled"
    BRANCH_SEND = "branch_send"


class ProfileName(StrEnum):
    """The profiles by which a context is packed."""

    DEFAULT = "default"
    ECONOMY = "economy"
    THOROUGH = "thorough"


class ProfileSource(StrEnum):
    """Who chose an assembly's profile; the first that names one."""

    REQUEST = "request"
    AGENT = "agent"
    TENANT = "tenant"


class RetentionAction(StrEnum):
    """What becomes of a record when its time is over, mildest first."""

    KEEP = "keep"
    OFFLOAD = "offload"
    ARCHIVE = "archive"
    REDACT = "redact"
    HASH = "hash"
    DELETE = "delete"


class PinKind(StrEnum):
    """Why a text must survive word for word."""

    DEFINITION = "definition"
    DECISION = "decision"
    PARAMETER = "parameter"
    OPEN_QUESTION = "open_question"


class LineKind(StrEnum):
    """What a line of a summary tells."""

    DECISION = "decision"
    RESULT = "result"
    FAILURE = "failure"
    QUESTION = "question"
    STATEMENT = "statement"


class InsightKind(StrEnum):
    """What an insight tells of a tenant's users."""

    POPULAR_PRODUCT = "popular_product"
    OPEN_QUESTION = "open_question"


class Rating(StrEnum):
    """What a user thinks of an answer."""

    UP = "up"
    DOWN = "down"


class Outcome(StrEnum):
    """How a subagent ended."""

    COMPLETED = "completed"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"


class ParticipantKind(StrEnum):
    """What sits in a seat of a conversation."""

    HUMAN = "human"
    AGENT = "agent"
    SUBAGENT = "subagent"
    MODERATOR = "moderator"
    SYSTEM = "system"


class Role(StrEnum):
    """A message's role, as model providers use the word."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


class Section(StrEnum):
    """The parts of a context, in the order in which the model reads them. Not every one is written yet."""

    PLATFORM_RULES = "platform_rules"
    DATE = "date"
    PERSONA = "persona"
    INSIGHTS = "insights"
    COMPACTED_HISTORY = "compacted_history"
    PRODUCT_CONTEXT = "product_context"
    KNOWLEDGE_PASSAGES = "knowledge_passages"
    WORKING_MEMORY = "working_memory"
    USER_MEMORIES = "user_memories"
    TOOL_MEMORIES = "tool_memories"
    RECALLED_MESSAGES = "recalled_messages"
    RECENT_WINDOW = "recent_window"
    RECOVERY = "recovery"
    CURRENT_EXCHANGE = "current_exchange"
