// Create an API key: its keyed hash, its tenant and its scopes, never the key itself.
// scope: system · access: write · index: none (creates)
// params: api_key: map
// returns: (none)
CREATE (k:ApiKey)
SET k = $api_key
