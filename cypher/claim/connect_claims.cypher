// Connect claims with what they rest on and with the claim that they replace, all of which is there.
// scope: tenant · access: write · index: claim_uid, tool_artifact_uid, message_uid, model_run_uid
// params: tenant_id: str, evidence: list[map]
// returns: (none)
// eager: at most a batch of rows, each with the few links that an event may have
UNWIND $evidence AS row
MATCH (c:Claim {uid: row.claim_uid})
WHERE c.tenant_id = $tenant_id
CALL (c, row) {
  MATCH (o:Claim {uid: row.replaced_uid})
  WHERE o.tenant_id = c.tenant_id
  CREATE (c)-[:REPLACES]->(o)
}
CALL (c, row) {
  UNWIND row.links AS link
  CALL (link) {
    MATCH (n:ToolArtifact {uid: link.target_uid})
    RETURN n
  UNION
    MATCH (n:Message {uid: link.target_uid})
    RETURN n
  UNION
    MATCH (n:ModelRun {uid: link.target_uid})
    RETURN n
  UNION
    MATCH (n:Claim {uid: link.target_uid})
    RETURN n
  }
  WITH c, link, n
  WHERE n.tenant_id = c.tenant_id
  CREATE (c)-[:RESTS_ON {role: link.role, part: link.part}]->(n)
}
