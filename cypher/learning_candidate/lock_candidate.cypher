// Take a learning candidate's lock, so that what is read after it holds until the decision is written; before it that of its
// answer's branch, for which an erasure waits.
// scope: tenant · access: write · index: learning_candidate_uid, message_uid, branch_ref
// params: tenant_id: str, candidate_id: str
// returns: candidate_id: str (one)
// eager: one row
MATCH (k:LearningCandidate {uid: $candidate_id})
WHERE k.tenant_id = $tenant_id
OPTIONAL MATCH (m:Message {uid: k.message_uid})
OPTIONAL MATCH (b:Branch {branch_ref: m.branch_ref})
SET b.branch_ref = b.branch_ref, k.uid = $candidate_id
RETURN k.uid AS candidate_id
