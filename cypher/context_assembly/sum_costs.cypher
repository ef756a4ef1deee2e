// Sum what contexts and runs of a time cost, by agent, conversation or for the whole tenant, in the order of names; runs
// by their models too. Comes with the number of the active configuration.
// scope: tenant · access: read · index: tenant_key, context_assembly_created_at, model_run_recorded_at, participant_uid, conversation_uid
// params: tenant_id: str, group_by: str, since: datetime, until: datetime, skip: int, limit: int
// returns: name: str, active_version: int, assemblies: int, assembled_tokens: int, full_transcript_tokens: int, prefix_tokens: int, models: list[map] (many)
MATCH (t:Tenant {tenant_id: $tenant_id})
CALL () {
  MATCH (a:ContextAssembly)
  WHERE a.tenant_id = $tenant_id AND a.created_at >= $since AND a.created_at < $until
  RETURN a.participant_uid AS participant_uid, a.conversation_uid AS conversation_uid, null AS model,
         count(a) AS assemblies, sum(a.assembled_tokens) AS assembled_tokens,
         sum(a.full_transcript_tokens) AS full_transcript_tokens, sum(a.prefix_tokens) AS prefix_tokens,
         0 AS runs, 0 AS input_tokens, 0 AS output_tokens, 0 AS uncounted_runs
UNION ALL
  MATCH (r:ModelRun)
  WHERE r.tenant_id = $tenant_id AND r.recorded_at >= $since AND r.recorded_at < $until
  RETURN r.participant_uid AS participant_uid, r.conversation_uid AS conversation_uid, r.model AS model,
         0 AS assemblies, 0 AS assembled_tokens, 0 AS full_transcript_tokens, 0 AS prefix_tokens,
         count(r) AS runs, sum(r.input_tokens) AS input_tokens, sum(r.output_tokens) AS output_tokens,
         sum(CASE WHEN r.input_tokens IS NULL OR r.output_tokens IS NULL THEN 1 ELSE 0 END) AS uncounted_runs
}
MATCH (p:Participant {uid: participant_uid})
MATCH (c:Conversation {uid: conversation_uid})
WITH t, CASE $group_by WHEN 'agent' THEN coalesce(p.agent, p.participant_id)
                       WHEN 'conversation' THEN c.conversation_id
                       ELSE t.tenant_id END AS name, model,
     sum(assemblies) AS assemblies, sum(assembled_tokens) AS assembled_tokens,
     sum(full_transcript_tokens) AS full_transcript_tokens, sum(prefix_tokens) AS prefix_tokens,
     sum(runs) AS runs, sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
     sum(uncounted_runs) AS uncounted_runs
ORDER BY name, model
WITH t, name, sum(assemblies) AS assemblies, sum(assembled_tokens) AS assembled_tokens,
     sum(full_transcript_tokens) AS full_transcript_tokens, sum(prefix_tokens) AS prefix_tokens,
     collect(CASE WHEN runs > 0 THEN {model: model, runs: runs, input_tokens: input_tokens, output_tokens: output_tokens,
                                      uncounted_runs: uncounted_runs} END) AS models
RETURN name AS name, coalesce(t.active_version, 0) AS active_version, assemblies AS assemblies,
       assembled_tokens AS assembled_tokens, full_transcript_tokens AS full_transcript_tokens,
       prefix_tokens AS prefix_tokens, models AS models
ORDER BY name
SKIP $skip
LIMIT $limit
