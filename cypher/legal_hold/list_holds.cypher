// List a tenant's legal holds, of some people where these are named.
// scope: tenant · access: read · index: legal_hold_key
// params: tenant_id: str, people: list[str], limit: int
// returns: hold: map (many)
MATCH (h:LegalHold)
WHERE h.tenant_id = $tenant_id AND h.hold_id IS NOT NULL
WITH h
WHERE size($people) = 0 OR any(uid IN h.subject_uids WHERE uid IN $people)
RETURN properties(h) AS hold
ORDER BY hold.created_at
LIMIT $limit
