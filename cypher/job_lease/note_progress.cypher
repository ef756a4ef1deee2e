// Keep what a lease's owner has done so far, and prolong the lease; no row where another one has it.
// scope: system · access: write · index: job_lease_name
// params: name: str, owner: str, lease_s: int, report: str
// returns: owner: str (one)
// eager: one lease
MATCH (l:JobLease {name: $name})
WHERE l.owner = $owner
SET l.report = $report, l.expires_at = datetime.realtime() + duration({seconds: $lease_s})
RETURN l.owner AS owner
