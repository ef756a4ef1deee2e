// Delete leases by their names, whoever has them.
// scope: system · access: write · index: job_lease_name
// params: names: list[str]
// returns: (none)
// eager: a few leases
UNWIND $names AS name
MATCH (l:JobLease {name: name})
DELETE l
