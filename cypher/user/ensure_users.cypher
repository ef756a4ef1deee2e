// Make sure that data subjects exist, and answer the service's id of each.
// scope: tenant · access: write · index: user_key
// params: tenant_id: str, users: list[map]
// returns: user_id: str, uid: str (many)
// eager: at most a batch of rows; two of them may name the same user
UNWIND $users AS row
MERGE (u:User {tenant_id: $tenant_id, user_id: row.user_id})
ON CREATE SET u.uid = row.uid, u.created_at = row.created_at
RETURN u.user_id AS user_id, u.uid AS uid
