// Write a migration into the list of applied ones.
// scope: system · access: write · index: none (creates)
// params: version: int, name: str, checksum: str, applied_at: datetime
// returns: (none)
CREATE (m:Migration {version: $version, name: $name, checksum: $checksum, applied_at: $applied_at})
