// Find up to where a lineage may be compacted: the newest user message, and the newest event whose transcript costs no more
// than given.
// scope: tenant · access: read · index: message_place, event_place
// params: tenant_id: str, stretches: list[map], transcript_tokens: int
// returns: user_seqs: list[int], until_seqs: list[int] (one)
RETURN
  COLLECT {
    UNWIND $stretches AS s
    CALL (s) {
      MATCH (m:Message)
      WHERE m.branch_ref = s.branch_ref AND m.seq > s.floor AND m.seq <= s.ceiling
        AND m.role = 'user' AND m.tenant_id = $tenant_id
      RETURN m.seq AS seq
      ORDER BY m.branch_ref DESC, m.seq DESC // the index gives this order: reading stops at the first
      LIMIT 1
    }
    RETURN seq
    LIMIT 1
  } AS user_seqs,
  COLLECT {
    UNWIND $stretches AS s
    CALL (s) {
      MATCH (e:Event)
      WHERE e.branch_ref = s.branch_ref AND e.seq > s.floor AND e.seq <= s.ceiling
        AND e.transcript_tokens <= $transcript_tokens AND e.tenant_id = $tenant_id
      RETURN e.seq AS seq
      ORDER BY e.branch_ref DESC, e.seq DESC
      LIMIT 1
    }
    RETURN seq
    LIMIT 1
  } AS until_seqs
