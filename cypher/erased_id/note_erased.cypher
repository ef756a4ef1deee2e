// Note the digests of ids that an erasure destroys, each once.
// scope: tenant · access: write · index: erased_id_key
// params: tenant_id: str, id_digests: list[str], erased_at: datetime
// returns: (none)
UNWIND $id_digests AS id_digest
MERGE (x:ErasedId {tenant_id: $tenant_id, id_digest: id_digest})
ON CREATE SET x.erased_at = $erased_at
