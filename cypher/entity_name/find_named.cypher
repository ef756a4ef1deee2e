// Find what names stand for: by the label and uid of each thing, once.
// scope: tenant · access: read · index: tenant_key, entity_name_key
// params: tenant_id: str, name_keys: list[str], limit: int
// returns: label: str, uid: str (many)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
UNWIND $name_keys AS key
MATCH (k:EntityName {tenant_id: $tenant_id, name_key: key})-[:NAMES]->(n)
WHERE hidden IS NULL OR n.user_uid IS NULL OR NOT n.user_uid IN hidden // a booking of a hidden person
WITH DISTINCT n
RETURN labels(n)[0] AS label, n.uid AS uid
LIMIT $limit
