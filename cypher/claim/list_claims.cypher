// List claims by the client's ids: where they stand, what policy needs to judge them, and what corrects them.
// scope: tenant · access: read · index: tenant_key, claim_key
// params: tenant_id: str, claim_ids: list[str]
// returns: claim_id: str, uid: str, branch_ref: int, seq: int, participant_uid: str, visibility: str, privacy_class: str, shared_with: list[str], replaced_by: list[map] (many)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
UNWIND $claim_ids AS id
MATCH (c:Claim {tenant_id: $tenant_id, claim_id: id})
WHERE (hidden IS NULL OR none(who IN c.subject_uids WHERE who IN hidden))
RETURN c.claim_id AS claim_id, c.uid AS uid, c.branch_ref AS branch_ref, c.seq AS seq,
       c.participant_uid AS participant_uid, c.visibility AS visibility, c.privacy_class AS privacy_class,
       c.shared_with AS shared_with,
       COLLECT {
         MATCH (n:Claim)-[:REPLACES]->(c)
         WHERE (hidden IS NULL OR none(who IN n.subject_uids WHERE who IN hidden))
         RETURN n {.claim_id, .uid, .branch_ref, .seq, .participant_uid, .visibility, .privacy_class, .shared_with}
         ORDER BY n.seq
       } AS replaced_by
