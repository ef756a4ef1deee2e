"""Every node label with its properties, in one total table; schema/GRAPH.md is generated from it."""

from __future__ import annotations

from dataclasses import dataclass

from service.model.vocabulary import Label


@dataclass(frozen=True, slots=True)
class Node:
    """What a label stands for, and the properties that its nodes may have."""

    means: str
    properties: tuple[str, ...]


_PLACE = ("branch_ref", "seq", "part")
_GOVERNED = ("participant_uid", "visibility", "shared_with", "privacy_class", "subject_uids")
_KNOWN = ("uid", "tenant_id", "recorded_at")
_NAMED = ("title", "aliases", "value")
_ITEM = (
    *("uid", "tenant_id", "conversation_uid", *_PLACE, "recorded_at", "occurred_at", *_GOVERNED),
    "retained_as",
)

NODES: dict[Label, Node] = {
    Label.TENANT: Node(
        "One customer of the service; nothing crosses its border.",
        (
            *("tenant_id", "uid", "name", "active_version", "newest_version", "created_at"),
            *("hidden_uids", "erasure_count"),
        ),
    ),
    Label.API_KEY: Node(
        "A credential, known by its hash, bound to one tenant and scopes.",
        ("uid", "tenant_id", "key_hash", "scopes", "created_at", "revoked_at"),
    ),
    Label.TENANT_CONFIGURATION: Node(
        "One version of what governs a tenant's assemblies; never changed once made.",
        ("tenant_id", "version", "configuration_version", "settings", "note", "created_at"),
    ),
    Label.USER: Node(
        "A data subject: a person whose data is held.",
        (
            "uid",
            "tenant_id",
            "user_id",
            "aliases",
            "created_at",
            "remembered_at",
            "restricted_at",
            "erased_at",
            *("changed_at", "changed_by"),
        ),
    ),
    Label.CONVERSATION: Node(
        "One thread of work, with branches and participants.",
        ("uid", "tenant_id", "conversation_id", "title", "user_uid", "runtime_kind", "forked", "created_at"),
    ),
    Label.BRANCH: Node(
        "One line of a conversation: a sequence of events that goes on from where it was forked.",
        (
            *("uid", "tenant_id", "conversation_uid", "conversation_id", "branch_id", "branch_ref"),
            *("title", "closed", "lineage", "cutoffs", "merges", "base", "head", "head_hash"),
            *("transcript_tokens", "transcript_items", "inherited_items", "created_at"),
        ),
    ),
    Label.PARTICIPANT: Node(
        "A seat in one conversation.",
        (
            *("uid", "tenant_id", "conversation_uid", "conversation_id", "participant_id"),
            *("participant_kind", "display_name", "agent", "user_uid", "parent_participant_uid"),
            "created_at",
        ),
    ),
    Label.MESSAGE: Node(
        "Something said.",
        (
            *(*_ITEM, "message_id", "role", "text", "parts", "tokens", "encoding", "run_uid", "wide"),
            "queued_at",
        ),
    ),
    Label.MODEL_RUN: Node(
        "One attempt of a model to answer.",
        (
            *_ITEM,
            *("run_id", "run_status", "runtime_kind", "provider", "model", "assembly_id", "parent_run_uid"),
            *("checkpoint_uid", "input_tokens", "output_tokens", "error"),
        ),
    ),
    Label.TOOL_CALL: Node(
        "A tool was asked for.",
        (
            *_ITEM,
            *("call_id", "tool_name", "tool_version"),
            *("arguments", "arguments_blob", "arguments_sha256", "arguments_bytes", "arguments_tokens"),
            *("parameters", "message_uid", "run_uid", "parent_call_id", "batch_id", "active_skills"),
            *("active_profiles", "provider", "runtime_kind", "isolation_policy", "retry_critical"),
        ),
    ),
    Label.TOOL_ARTIFACT: Node(
        "What a call became, whole: captured at the call, completed by its result, never shortened.",
        (
            *("uid", "tenant_id", "conversation_uid", "call_uid", "branch_ref", "call_seq", "part"),
            *("tool_name", "tool_version", "call_status", "run_uid", *_GOVERNED),
            *("result_seq", "result_part"),
            *("result", "result_blob", "result_sha256", "result_bytes", "result_tokens"),
            *("error", "retry_critical", "captured_at", "observed_at", "resolved_at", "retained_as"),
        ),
    ),
    Label.TOOL_MEMORY: Node(
        "A compact memory of a result, with the way back to the artifact.",
        (
            *("uid", "tenant_id", "conversation_uid", *_PLACE, "recorded_at", *_GOVERNED),
            *("artifact_uid", "tool_name", "run_uid", "call_status", "parameters"),
            *("headline", "headline_tokens", "records", "record_tokens", "record_key", "record_fields"),
            *("freshness", "observed_at", "stale_after", "retry_critical", "wide"),
            *("result_tokens", "result_bytes", "resolution_status", "repair_attempts"),
            *("confidence", "confidence_source", "confidence_reason", "limits", "retained_as"),
        ),
    ),
    Label.USER_MEMORY: Node(
        "A fact, preference or instruction of a person, as somebody stated it; never changed but by its end.",
        (
            *(*_ITEM, "memory_id", "memory_kind", "memory_key", "user_uid", "agent", "stated_by"),
            *("subject", "predicate", "value", "tokens", "confidence"),
            *("valid_from", "valid_until", "effective_at", "retracted_at"),
        ),
    ),
    Label.CLAIM: Node(
        "Something asserted, with what it rests on.",
        (*_ITEM, "claim_id", "text", "value", "run_uid", "message_uid"),
    ),
    Label.JUDGEMENT: Node(
        "How sure an answer is, as it was judged last: numbers, no text.",
        (
            *("uid", "tenant_id", "message_uid", "composite", "factors", "feedback", "threshold"),
            *("configuration_number", "policy_version", "judged_at"),
        ),
    ),
    Label.LEARNING_CANDIDATE: Node(
        "An answer that a person should look at; it refers to question and answer and copies neither.",
        (
            *("uid", "tenant_id", "message_uid", "failure_class", "state", "version", "assignee"),
            *("subject_uids", "created_at"),
        ),
    ),
    Label.REVIEW_DECISION: Node(
        "What a reviewer decided, and when; never changed once made.",
        (
            *("uid", "tenant_id", "action", "reviewer", "assignee", "reason", "edits", "version"),
            *("threshold", "threshold_start", "request_hash", "decided_at"),
        ),
    ),
    Label.KNOWLEDGE_DOCUMENT: Node(
        "One version of a document that answers questions; only its end is added to it.",
        (
            *("uid", "tenant_id", "document_id", "version", "title", "source", "privacy_class"),
            *("subject_uids", "content_hash", "created_at", "ended_at"),
        ),
    ),
    Label.KNOWLEDGE_PASSAGE: Node(
        "A piece of one version of a knowledge document; the pieces in order are its text.",
        ("uid", "tenant_id", "part", "text", "tokens"),
    ),
    Label.PIN: Node(
        "A text that enters every context of its branch word for word.",
        (
            *_ITEM,
            "pin_id",
            "pin_kind",
            "text",
            "tokens",
            "message_uid",
            "run_uid",
            *("unpinned_refs", "unpinned_seqs"),
        ),
    ),
    Label.SKILL_STATE: Node(
        "What a participant had loaded.",
        (*_ITEM, "skills", "profiles", "direct_tools", "integrations"),
    ),
    Label.WORKING_MEMORY: Node(
        "One version of what a participant has noted down for itself, whole; the newest stands.",
        (*_ITEM, "version", "fields", "block", "tokens"),
    ),
    Label.CONTINUATION_CHECKPOINT: Node(
        "Where a run can be taken up again.",
        (
            *(*_ITEM, "checkpoint_id", "run_uid", "parent_run_uid"),
            *("pending_call_ids", "child_participant_uids", "budgets"),
        ),
    ),
    Label.COMPACTION: Node(
        "The event by which a branch's view became a summary up to a seq; the log keeps everything.",
        (
            *("uid", "tenant_id", "conversation_uid", "branch_ref", "seq", "part", "recorded_at"),
            *("compaction_id", "participant_uid", "after_seq", "until_seq", "summariser", "policy_version"),
            *("line_count", "summary_tokens", "transcript_tokens"),
        ),
    ),
    Label.SUMMARY_LINE: Node(
        "One line of a compaction's summary, governed as what it stands for, with the way back to it.",
        (
            *("uid", "tenant_id", "conversation_uid", *_PLACE, "recorded_at", *_GOVERNED),
            *("line_kind", "text", "tokens", "first_seq", "last_seq", "item_count"),
        ),
    ),
    Label.QUERY: Node(
        "A question that people asked, scrubbed; once for each wording of the tenant.",
        (*_KNOWN, "text_sha256", "text", "privacy_class", "subject_uids", "asked_at"),
    ),
    Label.RESPONSE: Node(
        "An answer that was given, scrubbed.",
        (*_KNOWN, "conversation_uid", "message_uid", "text", "privacy_class", "subject_uids"),
    ),
    Label.PRODUCT: Node("A thing that the tenant offers.", (*_KNOWN, "product_id", *_NAMED)),
    Label.DOCUMENT: Node("A document of the tenant that answers cite.", (*_KNOWN, "document_id", *_NAMED)),
    Label.BOOKING: Node("A booking of a user.", (*_KNOWN, "booking_id", *_NAMED, "user_uid")),
    Label.COMPETITOR_PRICE: Node(
        "What a competitor asks for something.", (*_KNOWN, "competitor_price_id", *_NAMED)
    ),
    Label.ENTITY_NAME: Node(
        "A name by which texts mention a product, a document, a booking or a price.",
        (*_KNOWN, "name_key"),
    ),
    Label.INSIGHT: Node(
        "What a tenant's users want or lack, as contexts are told of it; its words never change, it ends.",
        (
            *(*_KNOWN, "insight_kind", "text", "rank", "asker_count", "node_count"),
            *("privacy_class", "valid_until"),
        ),
    ),
    Label.CONTEXT_ASSEMBLY: Node(
        "One answer to what a model may see: ids and numbers, no text. Its uid is the API's assembly_id.",
        (
            *("uid", "tenant_id", "conversation_uid", "branch_ref", "head", "participant_uid"),
            *("provider", "model", "runtime_kind", "profile", "profile_source", "agent"),
            *("policy_version", "configuration_version", "configuration_number", "assembler_version"),
            "compaction_uid",
            "embedding_model",
            *("encoding", "tools", "tools_tokens", "trace", "exact"),
            *("budget_tokens", "assembled_tokens", "full_transcript_tokens", "prefix_tokens"),
            *("legacy_message_count", "assembled_message_count", "branch_excluded_count"),
            *("candidate_count", "selected_count", "rehydrated_count"),
            *("sections", "omissions", "factors", "question"),
            "redacted_count",
            *("graph_ms", "policy_ms", "render_ms", "created_at"),
        ),
    ),
    Label.POLICY_DECISION: Node(
        "A decision: what one policy left out of an assembly, what a subagent's end released, or whether a "
        "turn may go on.",
        (
            *("uid", "tenant_id", "policy", "policy_version", "omitted_count", "reasons", "decided_at"),
            *("conversation_uid", "branch_ref", "seq", "participant_uid", "to_uids", "outcome", "summary"),
            *("tokens", "decision_key", "head", "turn_seq", "allowed", "planned", "used", "caps"),
            "configuration_number",
        ),
    ),
    Label.PRIVACY_REQUEST: Node(
        "What a person asked for by right, how far it is, and its receipt: pseudonyms, counts and times.",
        (
            *("uid", "tenant_id", "request_id", "request_kind", "state", "stage", "subject_uids"),
            *("requested_by", "approved_by", "received_at", "due_at", "extended_at", "extension_reason"),
            "reason",
            *("plan", "plan_digest", "done", "decisions", "identifiers", "receipt", "finished_at"),
        ),
    ),
    Label.LEGAL_HOLD: Node(
        "A duty to keep what is held of a person, with its basis and its end.",
        (
            *("uid", "tenant_id", "hold_id", "subject_uids", "basis", "created_at", "expires_at"),
            *("ended_at", "item_count"),
        ),
    ),
    Label.NOTICE: Node(
        "Somebody who was given a person's data and is to be told what became of it.",
        (
            *("uid", "tenant_id", "recipient", "request_kind", "created_at"),
            *("sent_at", "sent_by", "reference"),
        ),
    ),
    Label.ERASED_ID: Node(
        "A client's id that an erasure destroyed, as a keyed digest: what names it is refused.",
        ("tenant_id", "id_digest", "erased_at"),
    ),
    Label.EVENT: Node(
        "One entry of the log: an immutable, hashed envelope.",
        (
            *("uid", "tenant_id", "branch_uid", "branch_ref", "seq", "kind", "at", "actor_uid"),
            *("subject_uids", "payload_commitment", "previous_hash", "hash"),
            *("transcript_tokens", "transcript_items", "erased_by"),
        ),
    ),
    Label.PAYLOAD: Node(
        "What an event said, apart from its envelope, so that it can be destroyed.",
        ("event_uid", "tenant_id", "salt", "body"),
    ),
    Label.TREE_HEAD: Node(
        "What the service vouches for about a branch up to a seq, signed; never changed once made.",
        (
            *("tenant_id", "branch_uid", "branch_ref", "parent_branch_uid", "base", "seq"),
            *("root_hash", "head_hash", "at", "peaks", "key_id", "signature"),
        ),
    ),
    Label.IDEMPOTENCY_RECORD: Node(
        "The answer to a batch, kept for a repetition of it.",
        ("tenant_id", "key", "request_hash", "answer", "branch_ref", "created_at"),
    ),
    Label.MIGRATION: Node(
        "A migration that was applied to this database.",
        ("version", "name", "checksum", "applied_at"),
    ),
    Label.MIGRATION_LOCK: Node(
        "The lease of the process that is migrating.",
        ("name", "owner", "expires_at"),
    ),
    Label.JOB_LEASE: Node(
        "The lease of the process that runs a job, with the due time it last ran for and what it reported.",
        ("name", "owner", "expires_at", "due_at", "finished_at", "report"),
    ),
    Label.LEDGER_MARK: Node(
        "How far this database has carried out what the ledger outside of it says.",
        ("name", "ledger_seq"),
    ),
}
