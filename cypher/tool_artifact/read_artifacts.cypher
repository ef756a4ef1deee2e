// Read the exact results of artifacts that policy has let in.
// scope: tenant · access: read · index: tenant_key, tool_artifact_uid
// params: tenant_id: str, uids: list[str]
// returns: uid: str, result: str | None, result_blob: str | None, error: str | None, subject_uids: list[str] (many)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
UNWIND $uids AS uid
MATCH (a:ToolArtifact {uid: uid})
WHERE a.tenant_id = $tenant_id AND (hidden IS NULL OR none(who IN a.subject_uids WHERE who IN hidden))
RETURN a.uid AS uid, a.result AS result, a.result_blob AS result_blob, a.error AS error,
       a.subject_uids AS subject_uids
