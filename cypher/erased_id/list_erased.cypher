// List those of some digests that are of ids which an erasure destroyed.
// scope: tenant · access: read · index: erased_id_key
// params: tenant_id: str, id_digests: list[str]
// returns: id_digest: str (many)
UNWIND $id_digests AS id_digest
MATCH (x:ErasedId {tenant_id: $tenant_id, id_digest: id_digest})
RETURN x.id_digest AS id_digest
