// List what is known of jobs that have run: the end and the report of the newest run.
// scope: system · access: read · index: job_lease_name
// params: names: list[str]
// returns: name: str, finished_at: datetime | None, report: str | None (many)
MATCH (l:JobLease)
WHERE l.name IN $names
RETURN l.name AS name, l.finished_at AS finished_at, l.report AS report
