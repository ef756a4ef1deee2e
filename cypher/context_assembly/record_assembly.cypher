// Record an assembly with its policies' decisions and the memories and passages it included. Ids and numbers only.
// scope: tenant · access: write · index: compaction_uid, tool_memory_uid, user_memory_uid, knowledge_passage_uid, tool_artifact_uid
// params: tenant_id: str, assembly: map, decisions: list[map], memories: list[map], user_memories: list[map], passages: list[map], rehydrated: list[str]
// returns: (none)
// eager: one assembly; a map may set any property, which the planner must assume
CREATE (a:ContextAssembly)
SET a = $assembly, a.tenant_id = $tenant_id
FOREACH (row IN $decisions |
  CREATE (a)-[:DECIDED_BY]->(d:PolicyDecision)
  SET d = row, d.tenant_id = $tenant_id
)
WITH a
CALL (a) {
  MATCH (c:Compaction {uid: a.compaction_uid})
  WHERE c.tenant_id = $tenant_id
  CREATE (a)-[:BUILT_ON]->(c)
}
CALL (a) {
  UNWIND $memories AS row
  MATCH (m:ToolMemory {uid: row.uid})
  WHERE m.tenant_id = $tenant_id
  CREATE (a)-[:INCLUDED {rank: row.rank, tokens: row.tokens, record_indexes: row.record_indexes}]->(m)
}
CALL (a) {
  UNWIND $user_memories AS row
  MATCH (m:UserMemory {uid: row.uid})
  WHERE m.tenant_id = $tenant_id
  CREATE (a)-[:INCLUDED {rank: row.rank, tokens: row.tokens}]->(m)
}
CALL (a) {
  UNWIND $passages AS row
  MATCH (p:KnowledgePassage {uid: row.uid})
  WHERE p.tenant_id = $tenant_id
  CREATE (a)-[:INCLUDED {rank: row.rank, tokens: row.tokens}]->(p)
}
CALL (a) {
  UNWIND $rehydrated AS uid
  MATCH (x:ToolArtifact {uid: uid})
  WHERE x.tenant_id = $tenant_id
  CREATE (a)-[:REHYDRATED]->(x)
}
