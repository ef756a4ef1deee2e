// Erase the answers to batches of a branch that name an event of people; those to redactions stay, whose keys nobody chose.
// Without `erase` only count them.
// scope: tenant · access: write · index: idempotency_record_key, event_place
// params: tenant_id: str, branch_ref: int, answers: list[map], people: list[str], seats: list[str], decided: list[str], erase: bool
// returns: records: int (one)
// eager: at most one branch's answers of a week
UNWIND $answers AS answer
MATCH (i:IdempotencyRecord {tenant_id: $tenant_id, key: answer.key})
WHERE EXISTS {
  UNWIND answer.seqs AS seq
  MATCH (e:Event {branch_ref: $branch_ref, seq: seq})
  WHERE e.kind <> 'redaction' AND (any(uid IN e.subject_uids WHERE uid IN $people) OR e.actor_uid IN $seats OR e.uid IN $decided)
}
WITH collect(i) AS found
WITH found, size(found) AS records
FOREACH (i IN CASE WHEN $erase THEN found ELSE [] END | DELETE i)
RETURN records
