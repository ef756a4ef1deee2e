// Show seats of a tenant to an officer.
// scope: tenant · access: read · index: participant_uid
// params: tenant_id: str, uids: list[str]
// returns: participant_uid: str, conversation_id: str | None, participant_id: str | None, display_name: str | None (many)
UNWIND $uids AS uid
MATCH (p:Participant {uid: uid})
WHERE p.tenant_id = $tenant_id
RETURN p.uid AS participant_uid, p.conversation_id AS conversation_id, p.participant_id AS participant_id, p.display_name AS display_name
