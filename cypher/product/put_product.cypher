// Keep a product under the client's id, or change what is known of it.
// scope: tenant · access: write · index: product_key
// params: tenant_id: str, id: str, entity: map
// returns: uid: str (one)
// eager: one row
MERGE (n:Product {tenant_id: $tenant_id, product_id: $id})
ON CREATE SET n.uid = $entity.uid, n.recorded_at = $entity.recorded_at
SET n.title = $entity.title, n.aliases = $entity.aliases, n.value = $entity.value
RETURN n.uid AS uid
