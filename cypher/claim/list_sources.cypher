// List what claims rest on, by the client's ids: calls with those of their artifacts that a lineage holds, messages, and
// runs with what their assemblies left out and the compactions these were built on. Each has what policy needs to judge
// it. The ids come in one map.
// scope: tenant · access: read · index: tenant_key, tool_call_key, message_key, model_run_key, context_assembly_uid
// params: tenant_id: str, participant_uid: str, stretches: list[map], named: map
// returns: calls: list[map], messages: list[map], runs: list[map] (one)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
RETURN COLLECT {
         UNWIND $named.call_ids AS id
         MATCH (t:ToolCall {tenant_id: $tenant_id, call_id: id})
         WHERE (hidden IS NULL OR none(who IN t.subject_uids WHERE who IN hidden))
         RETURN t {.call_id, .uid, .branch_ref, .seq, .tool_name, .participant_uid, .visibility, .privacy_class,
                   .shared_with,
                   artifacts: COLLECT {
                     MATCH (t)-[:RESULTED_IN]->(a:ToolArtifact)
                     WHERE any(s IN $stretches WHERE s.branch_ref = a.branch_ref AND s.floor < a.result_seq AND a.result_seq <= s.ceiling)
                       AND (hidden IS NULL OR none(who IN a.subject_uids WHERE who IN hidden))
                     RETURN a {.uid, .branch_ref, .call_status, .result_seq, .result_part, .result, .result_blob,
                               .result_sha256, .result_bytes, .participant_uid, .visibility, .privacy_class,
                               .shared_with, .subject_uids}
                   }}
       } AS calls,
       COLLECT {
         UNWIND $named.message_ids AS id
         MATCH (m:Message {tenant_id: $tenant_id, message_id: id})
         WHERE (hidden IS NULL OR none(who IN m.subject_uids WHERE who IN hidden))
         RETURN m {.message_id, .uid, .branch_ref, .seq, .participant_uid, .visibility, .privacy_class, .shared_with,
                   releases: COLLECT {
                     MATCH (m)-[r:SHARED_WITH]->(:Participant {uid: $participant_uid})
                     RETURN r {.branch_ref, .seq}
                   }}
       } AS messages,
       COLLECT {
         UNWIND $named.run_ids AS id
         MATCH (r:ModelRun {tenant_id: $tenant_id, run_id: id})
         WHERE (hidden IS NULL OR none(who IN r.subject_uids WHERE who IN hidden))
         RETURN r {.run_id, .uid, .branch_ref, .seq, .participant_uid, .visibility, .privacy_class, .shared_with,
                   assemblies: COLLECT {
                     MATCH (a:ContextAssembly {uid: r.assembly_id})
                     WHERE a.tenant_id = $tenant_id
                     RETURN a {.head, .omissions,
                               compactions: COLLECT {
                                 MATCH (a)-[:BUILT_ON]->(c:Compaction)
                                 RETURN c {.compaction_id, .branch_ref, .seq, .until_seq}
                               }}
                   }}
       } AS runs
