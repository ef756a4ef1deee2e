// Delete what was written to fill the transaction log.
// scope: system · access: write · index: job_lease_name
// params: name: str
// returns: (none)
MATCH (j:JobLease {name: $name})
DELETE j
