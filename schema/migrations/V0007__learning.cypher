// Confidence, review and knowledge: each found by the service's id, and listed newest first within its tenant.

CREATE CONSTRAINT judgement_uid IF NOT EXISTS FOR (n:Judgement) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT judgement_answer IF NOT EXISTS FOR (n:Judgement) REQUIRE n.message_uid IS UNIQUE;
CREATE CONSTRAINT learning_candidate_uid IF NOT EXISTS FOR (n:LearningCandidate) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT learning_candidate_answer IF NOT EXISTS FOR (n:LearningCandidate) REQUIRE n.message_uid IS UNIQUE;
CREATE CONSTRAINT review_decision_uid IF NOT EXISTS FOR (n:ReviewDecision) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT knowledge_document_uid IF NOT EXISTS FOR (n:KnowledgeDocument) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT knowledge_document_version IF NOT EXISTS FOR (n:KnowledgeDocument) REQUIRE (n.tenant_id, n.document_id, n.version) IS UNIQUE;
CREATE CONSTRAINT knowledge_passage_uid IF NOT EXISTS FOR (n:KnowledgePassage) REQUIRE n.uid IS UNIQUE;
CREATE INDEX learning_candidate_created_at IF NOT EXISTS FOR (n:LearningCandidate) ON (n.tenant_id, n.created_at);
CREATE INDEX review_decision_decided_at IF NOT EXISTS FOR (n:ReviewDecision) ON (n.tenant_id, n.decided_at);
CREATE INDEX knowledge_document_created_at IF NOT EXISTS FOR (n:KnowledgeDocument) ON (n.tenant_id, n.created_at);
