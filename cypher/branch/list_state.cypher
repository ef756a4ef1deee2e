// List what a lineage holds beside talk: pins that stand, the asker's newest skill state, working memory and
// checkpoint, with the working memory that stood there, what was released to the asker, and who sits in the conversation.
// scope: tenant · access: read · index: tenant_key, pin_place, skill_state_place, working_memory_version, continuation_checkpoint_place, policy_decision_place, participant_uid, participant_key
// params: tenant_id: str, conversation_id: str, stretches: list[map], participant_uid: str, limit: int, pins_limit: int
// returns: pins: list[map], skill_states: list[map], working_memories: list[map], checkpoints: list[map], releases: list[map], shared: list[map], participants: list[map] (one)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
RETURN
  COLLECT {
    UNWIND $stretches AS s
    MATCH (p:Pin)
    WHERE p.branch_ref = s.branch_ref AND p.seq > s.floor AND p.seq <= s.ceiling AND p.tenant_id = $tenant_id
      AND (hidden IS NULL OR none(who IN p.subject_uids WHERE who IN hidden)) AND p.retained_as IS NULL
      AND none(i IN range(0, size(coalesce(p.unpinned_refs, [])) - 1)
               WHERE any(e IN $stretches WHERE e.branch_ref = p.unpinned_refs[i]
                         AND p.unpinned_seqs[i] > e.floor AND p.unpinned_seqs[i] <= e.ceiling))
    WITH p
    LIMIT $pins_limit
    OPTIONAL MATCH (p)-[:PINS]->(m:Message)
    WITH p, m
    WHERE m IS NULL OR (hidden IS NULL OR none(who IN m.subject_uids WHERE who IN hidden)) AND m.retained_as IS NULL
    RETURN p {.uid, .branch_ref, .seq, .pin_id, .pin_kind, .participant_uid, .visibility, .privacy_class,
              .shared_with, .recorded_at, text: coalesce(p.text, m.text),
              message: m {.uid, .message_id, .participant_uid, .branch_ref, .visibility, .privacy_class,
                          .shared_with}}
  } AS pins,
  COLLECT {
    UNWIND $stretches AS s
    CALL (s, hidden) {
      MATCH (k:SkillState)
      WHERE k.branch_ref = s.branch_ref AND k.seq > s.floor AND k.seq <= s.ceiling
        AND k.participant_uid = $participant_uid AND k.tenant_id = $tenant_id
        AND (hidden IS NULL OR none(who IN k.subject_uids WHERE who IN hidden)) AND k.retained_as IS NULL
      RETURN k
      ORDER BY k.branch_ref DESC, k.seq DESC
      LIMIT 1
    }
    RETURN k {.uid, .seq, .skills, .profiles, .direct_tools, .integrations, .branch_ref, .participant_uid,
              .visibility, .privacy_class, .shared_with}
    LIMIT 1
  } AS skill_states,
  COLLECT {
    UNWIND $stretches AS s
    CALL (s, hidden) {
      MATCH (w:WorkingMemory)
      USING INDEX w:WorkingMemory(branch_ref, participant_uid, version)
      WHERE w.branch_ref = s.branch_ref AND w.participant_uid = $participant_uid AND w.version > 0
        AND w.seq > s.floor AND w.seq <= s.ceiling AND w.tenant_id = $tenant_id
        AND (hidden IS NULL OR none(who IN w.subject_uids WHERE who IN hidden)) AND w.retained_as IS NULL
      RETURN w
      ORDER BY w.branch_ref DESC, w.participant_uid DESC, w.version DESC
      LIMIT 1
    }
    RETURN w {.uid, .seq, .version, .fields, .block, .branch_ref, .participant_uid,
              .visibility, .privacy_class, .shared_with}
    LIMIT 1
  } AS working_memories,
  COLLECT {
    UNWIND $stretches AS s
    CALL (s, hidden) {
      MATCH (c:ContinuationCheckpoint)
      WHERE c.branch_ref = s.branch_ref AND c.seq > s.floor AND c.seq <= s.ceiling
        AND c.participant_uid = $participant_uid AND c.tenant_id = $tenant_id
        AND (hidden IS NULL OR none(who IN c.subject_uids WHERE who IN hidden)) AND c.retained_as IS NULL
      RETURN c
      ORDER BY c.branch_ref DESC, c.seq DESC
      LIMIT 1
    }
    WITH c
    LIMIT 1
    RETURN c {.uid, .seq, .pending_call_ids, .budgets, .branch_ref, .participant_uid,
              .visibility, .privacy_class, .shared_with, recorded_ms: c.recorded_at.epochMillis,
              working_memories: COLLECT {
                UNWIND $stretches AS s
                CALL (s, c, hidden) {
                  MATCH (w:WorkingMemory)
                  USING INDEX w:WorkingMemory(branch_ref, participant_uid, version)
                  WHERE w.branch_ref = s.branch_ref AND w.participant_uid = $participant_uid AND w.version > 0
                    AND w.seq > s.floor AND w.seq <= s.ceiling AND w.seq < c.seq AND w.tenant_id = $tenant_id
                    AND (hidden IS NULL OR none(who IN w.subject_uids WHERE who IN hidden)) AND w.retained_as IS NULL
                  RETURN w
                  ORDER BY w.branch_ref DESC, w.participant_uid DESC, w.version DESC
                  LIMIT 1
                }
                RETURN w {.uid, .seq, .version, .fields, .block, .branch_ref, .participant_uid,
                          .visibility, .privacy_class, .shared_with}
                LIMIT 1
              }}
  } AS checkpoints,
  COLLECT {
    UNWIND $stretches AS s
    MATCH (d:PolicyDecision)
    USING INDEX d:PolicyDecision(branch_ref, seq)
    WHERE d.branch_ref = s.branch_ref AND d.seq > s.floor AND d.seq <= s.ceiling
      AND $participant_uid IN d.to_uids AND d.tenant_id = $tenant_id
      AND (hidden IS NULL OR NOT EXISTS {
        MATCH (x:Participant {uid: d.participant_uid})
        WHERE x.user_uid IN hidden
      })
    RETURN d {.uid, .seq, .participant_uid, .outcome, .summary}
    LIMIT $limit
  } AS releases,
  COLLECT {
    MATCH (p:Participant {uid: $participant_uid})
    WHERE p.tenant_id = $tenant_id
    MATCH (n)-[r:SHARED_WITH]->(p)
    RETURN {uid: n.uid, branch_ref: r.branch_ref, seq: r.seq}
    LIMIT $limit
  } AS shared,
  COLLECT {
    MATCH (p:Participant {tenant_id: $tenant_id, conversation_id: $conversation_id})
    WHERE p.participant_id IS NOT NULL
    WITH p, p.user_uid IN hidden AS unnamed
    RETURN p {.uid, .participant_kind, participant_id: CASE WHEN unnamed THEN p.uid ELSE p.participant_id END,
              display_name: CASE WHEN unnamed THEN null ELSE p.display_name END}
    LIMIT $limit
  } AS participants
