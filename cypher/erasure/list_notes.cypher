// List what a version of a working memory was put together from, oldest first: what its participant noted down along the branch's
// lineage, as it reads now, and whether that is the people's.
// scope: tenant · access: read · index: working_memory_uid, branch_ref, working_memory_version, event_place
// params: tenant_id: str, uid: str, people: list[str], seats: list[str], decided: list[str]
// returns: body: str | None, theirs: bool (many)
// eager: one working memory's versions
MATCH (w:WorkingMemory {uid: $uid})
WHERE w.tenant_id = $tenant_id
MATCH (b:Branch {branch_ref: w.branch_ref})
WITH w, b.lineage + [b.branch_ref] AS refs, b.cutoffs + [w.seq] AS ceilings
UNWIND range(0, size(refs) - 1) AS i
MATCH (v:WorkingMemory)
USING INDEX v:WorkingMemory(branch_ref, participant_uid, version)
WHERE v.branch_ref = refs[i] AND v.participant_uid = w.participant_uid AND v.version > 0 AND v.seq <= ceilings[i]
MATCH (e:Event {branch_ref: v.branch_ref, seq: v.seq})
WHERE e.tenant_id = $tenant_id
OPTIONAL MATCH (r:Event)-[:REDACTS*0..64]->(e)
WHERE EXISTS { (r)-[:HAS_PAYLOAD]->() }
WITH v, r, head([(r)-[:HAS_PAYLOAD]->(p:Payload) | p.body]) AS body
RETURN body, coalesce(any(uid IN r.subject_uids WHERE uid IN $people)
       AND (all(uid IN r.subject_uids WHERE uid IN $people) OR coalesce(r.actor_uid IN $seats, false) OR r.uid IN $decided), false) AS theirs
ORDER BY v.version
