// Find the run that produced a message, and the assembly that the run used.
// scope: tenant · access: read · index: tenant_key, message_key
// params: tenant_id: str, message_id: str
// returns: message_uid: str, seq: int, run_id: str | None, provider: str | None, model: str | None, assembly_id: str | None (one)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
MATCH (m:Message {tenant_id: $tenant_id, message_id: $message_id})
WHERE (hidden IS NULL OR none(who IN m.subject_uids WHERE who IN hidden))
OPTIONAL MATCH (r:ModelRun)-[:PRODUCED]->(m)
WHERE (hidden IS NULL OR none(who IN r.subject_uids WHERE who IN hidden))
RETURN m.uid AS message_uid, m.seq AS seq, r.run_id AS run_id, r.provider AS provider, r.model AS model,
       r.assembly_id AS assembly_id
