// Find what names stand for: by the label and uid of each thing, once.
// scope: tenant · access: read · index: entity_name_key
// params: tenant_id: str, name_keys: list[str], limit: int
// returns: label: str, uid: str (many)
UNWIND $name_keys AS key
MATCH (k:EntityName {tenant_id: $tenant_id, name_key: key})-[:NAMES]->(n)
WITH DISTINCT n
RETURN labels(n)[0] AS label, n.uid AS uid
LIMIT $limit
