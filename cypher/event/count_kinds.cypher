// Count the events of stretches of a lineage by kind.
// scope: tenant · access: read · index: event_place
// params: tenant_id: str, stretches: list[map]
// returns: kind: str, events: int (many)
UNWIND $stretches AS s
MATCH (e:Event)
WHERE e.branch_ref = s.branch_ref AND e.seq > s.floor AND e.seq <= s.ceiling
WITH e
WHERE e.tenant_id = $tenant_id
RETURN e.kind AS kind, count(e) AS events
ORDER BY kind
