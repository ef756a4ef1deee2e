// Give a lease back before its end, with what its owner noted in it, if it is still this owner's.
// scope: system · access: write · index: job_lease_name
// params: name: str, owner: str
// returns: (none)
// eager: one lease
MATCH (l:JobLease {name: $name})
WHERE l.owner = $owner
REMOVE l.owner, l.expires_at
