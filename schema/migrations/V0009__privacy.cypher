// Requests by right, legal holds, notices and the digests of erased ids; assemblies and answers to batches by their
// branch, events by what destroyed their payload.

CREATE CONSTRAINT privacy_request_key IF NOT EXISTS FOR (n:PrivacyRequest) REQUIRE (n.tenant_id, n.request_id) IS UNIQUE;
CREATE CONSTRAINT privacy_request_uid IF NOT EXISTS FOR (n:PrivacyRequest) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT legal_hold_key IF NOT EXISTS FOR (n:LegalHold) REQUIRE (n.tenant_id, n.hold_id) IS UNIQUE;
CREATE CONSTRAINT legal_hold_uid IF NOT EXISTS FOR (n:LegalHold) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT notice_uid IF NOT EXISTS FOR (n:Notice) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT erased_id_key IF NOT EXISTS FOR (n:ErasedId) REQUIRE (n.tenant_id, n.id_digest) IS UNIQUE;
CREATE CONSTRAINT ledger_mark_name IF NOT EXISTS FOR (n:LedgerMark) REQUIRE n.name IS UNIQUE;
CREATE INDEX privacy_request_due_at IF NOT EXISTS FOR (n:PrivacyRequest) ON (n.tenant_id, n.due_at);
CREATE INDEX notice_created_at IF NOT EXISTS FOR (n:Notice) ON (n.tenant_id, n.created_at);
CREATE INDEX context_assembly_place IF NOT EXISTS FOR (n:ContextAssembly) ON (n.branch_ref, n.created_at);
CREATE INDEX idempotency_record_place IF NOT EXISTS FOR (n:IdempotencyRecord) ON (n.branch_ref);
CREATE INDEX event_erased_by IF NOT EXISTS FOR (n:Event) ON (n.branch_ref, n.erased_by);
