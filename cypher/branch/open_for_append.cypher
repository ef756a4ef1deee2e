// Open a branch for a batch: the branch, and whatever the batch refers to by client id. The lists of ids come in one
// map: Neo4j plans a query anew for each magnitude of each list among its parameters, which takes it a second.
// scope: tenant · access: read · index: branch_key, erased_id_key
// params: tenant_id: str, conversation_id: str, branch_id: str, idempotency_key: str, named: map
// returns: conversation: map | None, branch: map | None, answered: map | None, participants: list[map], users: list[map], messages: list[map], runs: list[map], calls: list[map], assemblies: list[map], claims: list[map], user_memories: list[map], pins: list[map], checkpoints: list[map], compactions: list[map], branches: list[map], erased: list[str] (one)
OPTIONAL MATCH (c:Conversation {tenant_id: $tenant_id, conversation_id: $conversation_id})
OPTIONAL MATCH (b:Branch {tenant_id: $tenant_id, conversation_id: $conversation_id, branch_id: $branch_id})
OPTIONAL MATCH (i:IdempotencyRecord {tenant_id: $tenant_id, key: $idempotency_key})
RETURN c {.uid, .user_uid, ended: EXISTS { MATCH (u:User {uid: c.user_uid}) WHERE u.erased_at IS NOT NULL }} AS conversation,
       b {.uid, .branch_ref, .head, .lineage, .cutoffs, .merges} AS branch,
       i {.request_hash, .answer} AS answered,
       COLLECT {
         UNWIND $named.participant_ids AS id
         MATCH (p:Participant {tenant_id: $tenant_id, conversation_id: $conversation_id, participant_id: id})
         RETURN p {.participant_id, .uid, .user_uid, .participant_kind, .agent, .parent_participant_uid,
                   ended: EXISTS { MATCH (u:User {uid: p.user_uid}) WHERE u.erased_at IS NOT NULL }}
       } AS participants,
       COLLECT {
         UNWIND $named.user_ids AS id
         MATCH (u:User {tenant_id: $tenant_id, user_id: id})
         RETURN u {.user_id, .uid}
       } AS users,
       COLLECT {
         UNWIND $named.message_ids AS id
         MATCH (m:Message {tenant_id: $tenant_id, message_id: id})
         RETURN m {.message_id, .uid, .branch_ref, .seq, .participant_uid, .visibility, .privacy_class}
       } AS messages,
       COLLECT {
         UNWIND $named.run_ids AS id
         MATCH (r:ModelRun {tenant_id: $tenant_id, run_id: id})
         RETURN r {.run_id, .uid, .branch_ref, .seq}
       } AS runs,
       COLLECT {
         UNWIND $named.call_ids AS id
         MATCH (t:ToolCall {tenant_id: $tenant_id, call_id: id})
         RETURN t {.call_id, .uid, .branch_ref, .seq, .part, .tool_name, .tool_version, .arguments,
                   .arguments_blob, .arguments_tokens, .parameters, .participant_uid, .run_uid,
                   .conversation_uid, .visibility, .shared_with,
                   .privacy_class, .retry_critical, .subject_uids,
                   artifacts: COLLECT {
                     MATCH (t)-[:RESULTED_IN]->(a:ToolArtifact)
                     RETURN a {.uid, .branch_ref, .call_status, .result_seq}
                   }}
       } AS calls,
       COLLECT {
         UNWIND $named.assembly_ids AS id
         MATCH (a:ContextAssembly {tenant_id: $tenant_id, uid: id})
         RETURN a {.uid, .branch_ref, .head}
       } AS assemblies,
       COLLECT {
         UNWIND $named.claim_ids AS id
         MATCH (k:Claim {tenant_id: $tenant_id, claim_id: id})
         RETURN k {.claim_id, .uid, .branch_ref, .seq}
       } AS claims,
       COLLECT {
         UNWIND $named.memory_ids AS id
         MATCH (m:UserMemory {tenant_id: $tenant_id, memory_id: id})
         RETURN m {.*}
       } AS user_memories,
       COLLECT {
         UNWIND $named.pin_ids AS id
         MATCH (p:Pin {tenant_id: $tenant_id, pin_id: id})
         RETURN p {.pin_id, .uid, .branch_ref, .seq}
       } AS pins,
       COLLECT {
         UNWIND $named.checkpoint_ids AS id
         MATCH (k:ContinuationCheckpoint {tenant_id: $tenant_id, checkpoint_id: id})
         RETURN k {.checkpoint_id, .uid, .branch_ref, .seq, .participant_uid,
                   resumed: EXISTS { MATCH (:ModelRun {checkpoint_uid: k.uid, branch_ref: b.branch_ref}) }}
       } AS checkpoints,
       COLLECT {
         UNWIND $named.compaction_ids AS id
         MATCH (k:Compaction {tenant_id: $tenant_id, compaction_id: id})
         RETURN k {.compaction_id}
       } AS compactions,
       COLLECT {
         UNWIND $named.branch_ids AS id
         MATCH (p:Branch {tenant_id: $tenant_id, conversation_id: $conversation_id, branch_id: id})
         RETURN p {.branch_id, .uid, .branch_ref, .head, .lineage, .cutoffs, .merges}
       } AS branches,
       COLLECT { // after the conversation: an erasure notes the digest before it takes the id
         UNWIND $named.id_digests AS id
         MATCH (x:ErasedId {tenant_id: $tenant_id, id_digest: id})
         RETURN x.id_digest
       } AS erased
