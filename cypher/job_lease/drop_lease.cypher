// End a lease for good, where it is still its owner's.
// scope: system · access: write · index: job_lease_name
// params: name: str, owner: str
// returns: (none)
// eager: one lease
MATCH (l:JobLease {name: $name})
WHERE l.owner = $owner
DELETE l
