// Queue answers to be learned from again, in the words that they and their questions have now.
// scope: tenant · access: write · index: message_uid
// params: tenant_id: str, messages: list[str], now: datetime
// returns: (none)
UNWIND $messages AS message_uid
MATCH (m:Message {uid: message_uid})
WHERE m.tenant_id = $tenant_id
SET m.queued_at = $now
