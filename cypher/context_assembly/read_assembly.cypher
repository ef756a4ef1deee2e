// Read a recorded assembly with its decisions and included memories and passages.
// scope: tenant · access: read · index: tenant_key, context_assembly_uid, branch_ref, participant_uid
// params: tenant_id: str, assembly_id: str
// returns: assembly: map, where: map, decisions: list[map], memories: list[map], passages: list[map] (one)
MATCH (t:Tenant {tenant_id: $tenant_id})
WITH t.hidden_uids AS hidden
MATCH (a:ContextAssembly {uid: $assembly_id})
WHERE a.tenant_id = $tenant_id
  AND (hidden IS NULL OR NOT EXISTS {
    MATCH (c:Conversation {uid: a.conversation_uid})
    WHERE c.user_uid IN hidden
  })
OPTIONAL MATCH (b:Branch {branch_ref: a.branch_ref})
OPTIONAL MATCH (p:Participant {uid: a.participant_uid})
RETURN a {.*} AS assembly,
       {conversation_id: b.conversation_id, branch_id: b.branch_id, participant_id: p.participant_id} AS where,
       COLLECT { MATCH (a)-[:DECIDED_BY]->(d:PolicyDecision) RETURN d {.*} } AS decisions,
       COLLECT {
         MATCH (a)-[i:INCLUDED]->(m:ToolMemory)
         WHERE (hidden IS NULL OR none(who IN m.subject_uids WHERE who IN hidden))
         RETURN {uid: m.uid, seq: m.seq, tool_name: m.tool_name, headline: m.headline, rank: i.rank,
                 tokens: i.tokens, record_indexes: i.record_indexes, artifact_uid: m.artifact_uid,
                 confidence: m.confidence, confidence_source: m.confidence_source,
                 confidence_reason: m.confidence_reason, limits: m.limits, freshness: m.freshness,
                 repair_attempts: coalesce(m.repair_attempts, 0), resolution_status: m.resolution_status,
                 participant_uid: m.participant_uid, visibility: m.visibility, shared_with: m.shared_with}
         ORDER BY i.rank
       } AS memories,
       COLLECT {
         MATCH (a)-[i:INCLUDED]->(k:KnowledgePassage)<-[:HAS_PASSAGE]-(d:KnowledgeDocument)
         WHERE (hidden IS NULL OR none(who IN d.subject_uids WHERE who IN hidden))
         RETURN {uid: k.uid, rank: i.rank, document_id: d.document_id, version: d.version, title: d.title}
         ORDER BY i.rank
       } AS passages
