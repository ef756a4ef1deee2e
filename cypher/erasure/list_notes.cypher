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
RETURN coalesce(
         head(COLLECT { MATCH (e)-[:HAS_PAYLOAD]->(p:Payload) RETURN p.body }),
         head(COLLECT { MATCH (r:Event)-[:REDACTS*1..64]->(e) MATCH (r)-[:HAS_PAYLOAD]->(p:Payload) RETURN p.body })
       ) AS body,
       any(uid IN e.subject_uids WHERE uid IN $people)
       AND (all(uid IN e.subject_uids WHERE uid IN $people) OR coalesce(e.actor_uid IN $seats, false) OR e.uid IN $decided) AS theirs
ORDER BY v.version
