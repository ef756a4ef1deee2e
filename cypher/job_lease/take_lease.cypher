// Take a job's lease, unless a run of another owner goes on or the job was taken up for that due time already. A
// run without a due time is one that somebody asked for. The database's clock rules over the lease: it is the one
// clock that all owners share. The first SET takes the node's write lock, so that what is read after it holds.
// scope: system · access: write · index: job_lease_name
// params: name: str, owner: str, due_at: datetime | None, lease_s: int
// returns: owner: str (one)
// eager: one row; what is read must be read after the first SET has taken the lock
MERGE (l:JobLease {name: $name})
SET l.name = $name
WITH l
WHERE (l.owner IS NULL OR l.expires_at < datetime.realtime())
  AND ($due_at IS NULL OR l.due_at IS NULL OR l.due_at < $due_at)
SET l.owner = $owner, l.expires_at = datetime.realtime() + duration({seconds: $lease_s}),
    l.due_at = coalesce($due_at, l.due_at)
RETURN l.owner AS owner
