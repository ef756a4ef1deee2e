// Make sure that data subjects exist, and answer the service's id of each, and whether the person was erased. The last SET
// takes the lock, so that an erasure comes wholly before or wholly after; the digest is read behind the MERGE, which may
// have made anew a person whose id an erasure destroyed meanwhile.
// scope: tenant · access: write · index: user_key, erased_id_key
// params: tenant_id: str, users: list[map]
// returns: user_id: str, uid: str, erased: bool (many)
// eager: at most a batch of rows; two of them may name the same user
UNWIND $users AS row
MERGE (u:User {tenant_id: $tenant_id, user_id: row.user_id})
ON CREATE SET u.uid = row.uid, u.created_at = row.created_at
SET u.tenant_id = $tenant_id
WITH u, row
OPTIONAL MATCH (x:ErasedId {tenant_id: $tenant_id, id_digest: row.id_digest})
RETURN u.user_id AS user_id, u.uid AS uid, u.erased_at IS NOT NULL OR x IS NOT NULL AS erased
