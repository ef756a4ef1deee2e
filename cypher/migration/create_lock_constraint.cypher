// Make the lock unique before anybody takes it; migration 1 declares the same constraint.
// scope: system · access: write · index: none (a schema command)
// params: none
// returns: (none)
CREATE CONSTRAINT migration_lock_name IF NOT EXISTS FOR (n:MigrationLock) REQUIRE n.name IS UNIQUE
