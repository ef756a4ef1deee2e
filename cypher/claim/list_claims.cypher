// List claims by the client's ids: where they stand, what policy needs to judge them, and what corrects them.
// scope: tenant · access: read · index: claim_key
// params: tenant_id: str, claim_ids: list[str]
// returns: claim_id: str, uid: str, branch_ref: int, seq: int, participant_uid: str, visibility: str, privacy_class: str, shared_with: list[str], replaced_by: list[map] (many)
UNWIND $claim_ids AS id
MATCH (c:Claim {tenant_id: $tenant_id, claim_id: id})
RETURN c.claim_id AS claim_id, c.uid AS uid, c.branch_ref AS branch_ref, c.seq AS seq,
       c.participant_uid AS participant_uid, c.visibility AS visibility, c.privacy_class AS privacy_class,
       c.shared_with AS shared_with,
       COLLECT {
         MATCH (n:Claim)-[:REPLACES]->(c)
         RETURN n {.claim_id, .uid, .branch_ref, .seq, .participant_uid, .visibility, .privacy_class, .shared_with}
         ORDER BY n.seq
       } AS replaced_by
