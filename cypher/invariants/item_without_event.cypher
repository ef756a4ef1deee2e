// Find items of the graph that no event of the log has made: branches inherit, they never copy.
// scope: tenant · access: read · index: message_key, model_run_key, tool_call_key, claim_key, user_memory_key, event_place
// params: tenant_id: str, limit: int
// returns: item_uid: str (many)
CALL () {
  MATCH (m:Message)
  WHERE m.tenant_id = $tenant_id AND m.message_id IS NOT NULL
  RETURN m.uid AS item_uid, m.branch_ref AS branch_ref, m.seq AS seq
UNION ALL
  MATCH (r:ModelRun)
  WHERE r.tenant_id = $tenant_id AND r.run_id IS NOT NULL
  RETURN r.uid AS item_uid, r.branch_ref AS branch_ref, r.seq AS seq
UNION ALL
  MATCH (t:ToolCall)
  WHERE t.tenant_id = $tenant_id AND t.call_id IS NOT NULL
  RETURN t.uid AS item_uid, t.branch_ref AS branch_ref, t.seq AS seq
UNION ALL
  MATCH (c:Claim)
  WHERE c.tenant_id = $tenant_id AND c.claim_id IS NOT NULL
  RETURN c.uid AS item_uid, c.branch_ref AS branch_ref, c.seq AS seq
UNION ALL
  MATCH (m:UserMemory)
  WHERE m.tenant_id = $tenant_id AND m.memory_id IS NOT NULL
  RETURN m.uid AS item_uid, m.branch_ref AS branch_ref, m.seq AS seq
}
WITH item_uid, branch_ref, seq
WHERE NOT EXISTS { MATCH (e:Event {branch_ref: branch_ref, seq: seq}) WHERE e.tenant_id = $tenant_id }
RETURN item_uid
LIMIT $limit
