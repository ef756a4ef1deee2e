// List the checkpoints of branches that can still be taken up, with what each of them refers to.
// scope: tenant · access: read · index: continuation_checkpoint_place
// params: tenant_id: str, branch_refs: list[int]
// returns: uid: str, branch_ref: int, seq: int, participant_uid: str, run_uid: str | None, pending_call_ids: list[str] (many)
UNWIND $branch_refs AS ref
MATCH (c:ContinuationCheckpoint)
WHERE c.branch_ref = ref AND c.seq > 0
WITH c
WHERE c.tenant_id = $tenant_id AND (c.retained_as IS NULL OR c.retained_as = 'archive')
RETURN c.uid AS uid, c.branch_ref AS branch_ref, c.seq AS seq, c.participant_uid AS participant_uid, c.run_uid AS run_uid,
       coalesce(c.pending_call_ids, []) AS pending_call_ids
