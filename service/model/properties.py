"""Every property name of the graph, stated once: one type and one meaning wherever it stands.

Types are those of query headers; `datetime` is aware and UTC. `json` is canonical JSON kept as text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["str", "int", "float", "bool", "datetime", "json", "list[str]", "list[int]"]


@dataclass(frozen=True, slots=True)
class Property:
    """A property's type and what it means."""

    kind: Kind
    means: str


PROPERTIES: dict[str, Property] = {
    # identity and place
    "uid": Property("str", "The service's own id, a UUIDv7; what is hashed or linked uses it."),
    "tenant_id": Property("str", "The tenant it belongs to; every query of a tenant compares it."),
    "conversation_id": Property("str", "The client's id of the conversation."),
    "conversation_uid": Property("str", "The conversation it belongs to."),
    "branch_id": Property("str", "The client's id of the branch, unique in its conversation."),
    "branch_uid": Property("str", "The branch it belongs to, as the log names it."),
    "branch_ref": Property("int", "The branch it belongs to, as a number below 2**53."),
    "participant_id": Property("str", "The client's id of the participant, unique in its conversation."),
    "participant_uid": Property("str", "The participant who wrote it, owns it or asked for it."),
    "parent_participant_uid": Property("str", "The participant that a subagent works for."),
    "user_id": Property("str", "The client's id of a data subject."),
    "user_uid": Property("str", "The data subject whose conversation or seat this is."),
    "message_id": Property("str", "The client's id of the message."),
    "message_uid": Property("str", "The message that a tool call came with."),
    "run_id": Property("str", "The client's id of the model run."),
    "run_uid": Property("str", "The model run that made it."),
    "parent_run_uid": Property("str", "The model run that started this one."),
    "call_id": Property("str", "The client's id of the tool call."),
    "call_uid": Property("str", "The tool call that an artifact is the result of."),
    "parent_call_id": Property("str", "The client's id of the tool call within which this one was made."),
    "batch_id": Property("str", "The client's id of a group of calls made together."),
    "artifact_uid": Property("str", "The artifact that a memory was distilled from."),
    "assembly_id": Property("str", "The context that a model run was given."),
    "event_uid": Property("str", "The event that a payload belongs to."),
    "seq": Property("int", "The place in the lineage: position of the event that made it."),
    "part": Property("int", "The place among the items that one event made, from 0."),
    "call_seq": Property("int", "The seq of the call."),
    "result_seq": Property("int", "The seq of the result; absent until it comes."),
    "result_part": Property("int", "The part of the result."),
    # the branch
    "lineage": Property("list[int]", "The branches it inherits from, oldest first, as branch_ref."),
    "cutoffs": Property("list[int]", "For each of lineage the last seq that is inherited."),
    "cutoff": Property("int", "The last seq of the parent that is inherited."),
    "base": Property("int", "The seq it was forked at; its own events follow. 0 without a parent."),
    "head": Property("int", "The newest seq."),
    "head_hash": Property("str", "The hash of the newest event, which the next one names."),
    # the log
    "kind": Property("str", "What an event records."),
    "at": Property("str", "When the service recorded it: RFC 3339, as it is hashed."),
    "actor_uid": Property("str", "The participant who did it."),
    "payload_commitment": Property("str", "Salted SHA-256 of the payload, in hex."),
    "previous_hash": Property("str", "The hash of the event before it in the lineage."),
    "hash": Property("str", "SHA-256 of the envelope, in hex."),
    "salt": Property("str", "32 random bytes in hex; destroyed together with the body."),
    "body": Property("json", "The event as it was recorded; large bytes by their hash."),
    "subject_uids": Property("list[str]", "The people whose data it holds."),
    "transcript_tokens": Property("int", "Tokens of the whole transcript up to here."),
    "transcript_items": Property("int", "Messages, calls and results of the transcript up to here."),
    # configuration
    "active_version": Property("int", "The configuration that assemblies use; absent: the defaults."),
    "newest_version": Property("int", "The newest version of the configuration."),
    "settings": Property("json", "The settings of one version."),
    "note": Property("str", "Why somebody made it."),
    # times
    "created_at": Property("datetime", "When the service made it."),
    "recorded_at": Property("datetime", "When the service recorded it."),
    "occurred_at": Property("datetime", "When it happened, by the client's clock."),
    "captured_at": Property("datetime", "When an artifact was captured: at the call."),
    "observed_at": Property("datetime", "When a result was observed."),
    "resolved_at": Property("datetime", "When an artifact got its result."),
    "stale_after": Property("datetime", "When a memory may be out of date."),
    "decided_at": Property("datetime", "When a policy decided."),
    "revoked_at": Property("datetime", "When a key stopped working."),
    "expires_at": Property("datetime", "When a lease ends."),
    "applied_at": Property("datetime", "When a migration was applied."),
    # governance
    "visibility": Property("str", "Who may see it."),
    "shared_with": Property("list[str]", "Participants who see it beside its owner."),
    "privacy_class": Property("str", "How sensitive it is."),
    "freshness": Property("str", "How a memory ages."),
    # who sits where
    "participant_kind": Property("str", "Human, agent, subagent, moderator or system."),
    "display_name": Property("str", "How the participant is called."),
    "agent": Property("str", "The agent profile of the participant."),
    "title": Property("str", "What people call the conversation or the branch."),
    # messages, runs, calls, results
    "role": Property("str", "System, user or assistant."),
    "text": Property("str", "The words of a message, without its other parts."),
    "parts": Property("json", "The parts of a message, where it has more than words."),
    "tokens": Property("int", "What it costs in the named encoding."),
    "encoding": Property("str", "The tokenizer's encoding that counted the tokens."),
    "run_status": Property("str", "What became of a model run."),
    "runtime_kind": Property("str", "The mode that a run or a conversation belongs to."),
    "provider": Property("str", "The model's provider."),
    "model": Property("str", "The model's name."),
    "input_tokens": Property("int", "Tokens read, as the provider counted them."),
    "output_tokens": Property("int", "Tokens written, as the provider counted them."),
    "tool_name": Property("str", "The tool's name."),
    "tool_version": Property("str", "The tool's version."),
    "arguments": Property("str", "A call's arguments as the model gave them; absent when they are a blob."),
    "arguments_blob": Property("str", "The stored bytes of large arguments, by SHA-256."),
    "arguments_sha256": Property("str", "SHA-256 of the arguments' bytes, in hex."),
    "arguments_bytes": Property("int", "Size of the arguments."),
    "arguments_tokens": Property("int", "Tokens of the call: name and arguments."),
    "parameters": Property("list[str]", "Names of a call's arguments."),
    "active_skills": Property("list[str]", "Skills that were active at the call."),
    "active_profiles": Property("list[str]", "Agent profiles that were active at the call."),
    "isolation_policy": Property("str", "The isolation under which the tool ran."),
    "retry_critical": Property("bool", "Whether a retry needs it."),
    "call_status": Property("str", "What became of a tool call."),
    "result": Property("str", "A tool's answer to the byte; absent when it is a blob."),
    "result_blob": Property("str", "The stored bytes of a large result, by SHA-256."),
    "result_sha256": Property("str", "SHA-256 of the result's bytes, in hex."),
    "result_bytes": Property("int", "Size of the result."),
    "result_tokens": Property("int", "Tokens of the result."),
    "error": Property("str", "What the tool or the model said went wrong."),
    # tool memories
    "headline": Property("str", "Tool, arguments and outcome in one line."),
    "headline_tokens": Property("int", "Tokens of the headline's line."),
    "records": Property("list[str]", "Facts kept of a result, each a line."),
    "record_indexes": Property("list[int]", "Which of a memory's records went in, counted from 0."),
    "record_tokens": Property("list[int]", "Tokens of each record's line."),
    "record_key": Property("str", "What the memory is about; a newer one about the same may supersede it."),
    "record_fields": Property("list[str]", "Names of the fields that the records hold."),
    # assemblies and decisions
    "profile": Property("str", "The assembly profile."),
    "policy": Property("str", "The policy that decided."),
    "policy_version": Property("str", "Hash of the policies' order, settings and code version."),
    "configuration_number": Property("int", "The configuration's version; 0 for the defaults."),
    "tools": Property("json", "Names of the tools on offer, each with its parameters' names."),
    "tools_tokens": Property("int", "What the schemas of the tools on offer cost."),
    "trace": Property("bool", "Whether every uid that stayed out was kept."),
    "configuration_version": Property("str", "Hash of the tenant's configuration."),
    "assembler_version": Property("str", "The assembler's version."),
    "budget_tokens": Property("int", "The budget that was given."),
    "assembled_tokens": Property("int", "What the context costs."),
    "full_transcript_tokens": Property("int", "What the whole transcript would have cost."),
    "legacy_message_count": Property("int", "Messages, calls and results of the whole transcript."),
    "assembled_message_count": Property("int", "Messages of the context."),
    "candidate_count": Property("int", "Items that were considered."),
    "selected_count": Property("int", "Items that went in."),
    "rehydrated_count": Property("int", "Artifacts whose exact bytes went in."),
    "omitted_count": Property("int", "Items that stayed out by this policy."),
    "reasons": Property("list[str]", "Reasons that a policy gave for omissions."),
    "sections": Property("json", "The sections with their items: ids and numbers."),
    "omissions": Property("json", "Per reason a count and a capped list of ids."),
    "graph_ms": Property("float", "Time spent in the graph."),
    "policy_ms": Property("float", "Time spent in policies."),
    "render_ms": Property("float", "Time spent in rendering."),
    "rank": Property("int", "The place in a section's ranking, best first."),
    # the service's own
    "name": Property("str", "What operators call it; unique among its kind."),
    "key_hash": Property("str", "HMAC-SHA256 of an API key, in hex."),
    "scopes": Property("list[str]", "What an API key may do."),
    "key": Property("str", "The client's idempotency key."),
    "request_hash": Property("str", "Keyed digest of the request that the key was used for."),
    "answer": Property("json", "The answer that a repetition gets again."),
    "version": Property("int", "The number of a migration or of a configuration, from 1."),
    "checksum": Property("str", "SHA-256 of a migration's text, in hex."),
    "owner": Property("str", "The process that holds a lease."),
}
