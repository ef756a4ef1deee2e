// Give the lock back, if it is still this owner's.
// scope: system · access: write · index: migration_lock_name
// params: name: str, owner: str
// returns: (none)
// eager: one row
MATCH (l:MigrationLock {name: $name})
WHERE l.owner = $owner
REMOVE l.owner, l.expires_at
