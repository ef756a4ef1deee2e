// Hide people of a tenant from every reading query, and let every process forget what it keeps.
// scope: tenant · access: write · index: tenant_key
// params: tenant_id: str, user_uids: list[str]
// returns: (none)
// eager: one row; the list is read after the first SET has taken the lock
MATCH (t:Tenant {tenant_id: $tenant_id})
SET t.tenant_id = $tenant_id
WITH t, coalesce(t.hidden_uids, []) AS hidden
SET t.hidden_uids = hidden + [uid IN $user_uids WHERE NOT uid IN hidden],
    t.erasure_count = coalesce(t.erasure_count, 0) + 1
