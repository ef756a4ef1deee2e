// List those of some messages that are answers of a completed run which was given a context.
// scope: tenant · access: read · index: tenant_key, message_key
// params: tenant_id: str, message_ids: list[str]
// returns: message_id: str (many)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
UNWIND $message_ids AS id
MATCH (m:Message {tenant_id: $tenant_id, message_id: id})
WHERE m.role = 'assistant' AND (hidden IS NULL OR none(who IN m.subject_uids WHERE who IN hidden)) AND EXISTS {
  MATCH (m)<-[:PRODUCED]-(:ModelRun {run_status: 'completed'})-[:USED]->(:ContextAssembly)
}
RETURN m.message_id AS message_id
