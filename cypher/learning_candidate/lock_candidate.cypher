// Take a learning candidate's lock, so that what is read after it holds until the decision is written.
// scope: tenant · access: write · index: learning_candidate_uid
// params: tenant_id: str, candidate_id: str
// returns: candidate_id: str (one)
// eager: one row
MATCH (k:LearningCandidate {uid: $candidate_id})
WHERE k.tenant_id = $tenant_id
SET k.uid = $candidate_id
RETURN k.uid AS candidate_id
