// Give a job's lease back with what the run reported, if it is still this owner's.
// scope: system · access: write · index: job_lease_name
// params: name: str, owner: str, finished_at: datetime, report: str
// returns: (none)
// eager: one row
MATCH (l:JobLease {name: $name})
WHERE l.owner = $owner
SET l.finished_at = $finished_at, l.report = $report
REMOVE l.owner, l.expires_at
