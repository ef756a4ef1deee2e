// Count what a participant has used of a turn: runs with what they wrote, and tool calls.
// scope: tenant · access: read · index: model_run_place, tool_call_place
// params: tenant_id: str, participant_uid: str, stretches: list[map]
// returns: steps: int, output_tokens: int, uncounted_runs: int, tool_calls: int (one)
CALL () {
  UNWIND $stretches AS s
  MATCH (r:ModelRun)
  WHERE r.branch_ref = s.branch_ref AND r.seq > s.floor AND r.seq <= s.ceiling
  WITH r
  WHERE r.tenant_id = $tenant_id AND r.participant_uid = $participant_uid
  RETURN count(r) AS steps, sum(r.output_tokens) AS output_tokens, count(r) - count(r.output_tokens) AS uncounted_runs
}
RETURN steps AS steps, output_tokens AS output_tokens, uncounted_runs AS uncounted_runs,
       COUNT {
         UNWIND $stretches AS s
         MATCH (c:ToolCall)
         WHERE c.branch_ref = s.branch_ref AND c.seq > s.floor AND c.seq <= s.ceiling
         WITH c
         WHERE c.tenant_id = $tenant_id AND c.participant_uid = $participant_uid
         RETURN c
       } AS tool_calls
