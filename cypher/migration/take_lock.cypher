// Take or renew the lock, unless another owner's lease is running. The database's clock rules: it is the one
// clock that all owners share. The first SET takes the node's write lock, so that what is read after it holds.
// scope: system · access: write · index: migration_lock_name
// params: name: str, owner: str, lease_s: int
// returns: owner: str (one)
// eager: one row; what is read must be read after the first SET has taken the lock
MERGE (l:MigrationLock {name: $name})
SET l.name = $name
WITH l
WHERE l.owner IS NULL OR l.owner = $owner OR l.expires_at < datetime.realtime()
SET l.owner = $owner, l.expires_at = datetime.realtime() + duration({seconds: $lease_s})
RETURN l.owner AS owner
