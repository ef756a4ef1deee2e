// Count the events of branches that a request erased, and those of them that another event gave other words.
// scope: tenant · access: read · index: event_erased_by
// params: tenant_id: str, branch_refs: list[int], erased_by: str
// returns: events: int, redacted: int (one)
UNWIND $branch_refs AS ref
MATCH (e:Event)
USING INDEX e:Event(branch_ref, erased_by)
WHERE e.branch_ref = ref AND e.erased_by = $erased_by AND e.tenant_id = $tenant_id
RETURN count(e) AS events, count(CASE WHEN EXISTS { (:Event)-[:REDACTS]->(e) } THEN 1 END) AS redacted
