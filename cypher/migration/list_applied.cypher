// List every migration that was applied, oldest first.
// scope: system · access: read · index: migration_version
// params: none
// returns: version: int, name: str, checksum: str, applied_at: datetime (many)
MATCH (m:Migration)
WHERE m.version > 0
RETURN m.version AS version, m.name AS name, m.checksum AS checksum, m.applied_at AS applied_at
ORDER BY m.version
LIMIT 10000
