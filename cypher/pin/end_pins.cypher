// End pins from a place on: there, and on what forks from it later.
// scope: tenant · access: write · index: pin_uid
// params: tenant_id: str, unpins: list[map]
// returns: (none)
UNWIND $unpins AS row
MATCH (p:Pin {uid: row.pin_uid})
WHERE p.tenant_id = $tenant_id
SET p.unpinned_refs = coalesce(p.unpinned_refs, []) + row.branch_ref,
    p.unpinned_seqs = coalesce(p.unpinned_seqs, []) + row.seq
