// Write something of no meaning, so that the transaction log grows past the size of a file.
// scope: system · access: write · index: job_lease_name
// params: name: str, report: str
// returns: (none)
MERGE (j:JobLease {name: $name})
SET j.report = $report
