// The knowledge graph: queries once for each wording, responses once for each answer, what the platform has named by its
// own ids, and the names by which texts mention that. Answers wait in a queue; queries, responses and insights are found
// by their age.

CREATE CONSTRAINT query_key IF NOT EXISTS FOR (n:Query) REQUIRE (n.tenant_id, n.text_sha256) IS UNIQUE;
CREATE CONSTRAINT query_uid IF NOT EXISTS FOR (n:Query) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT response_key IF NOT EXISTS FOR (n:Response) REQUIRE (n.tenant_id, n.message_uid) IS UNIQUE;
CREATE CONSTRAINT response_uid IF NOT EXISTS FOR (n:Response) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT product_key IF NOT EXISTS FOR (n:Product) REQUIRE (n.tenant_id, n.product_id) IS UNIQUE;
CREATE CONSTRAINT product_uid IF NOT EXISTS FOR (n:Product) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT document_key IF NOT EXISTS FOR (n:Document) REQUIRE (n.tenant_id, n.document_id) IS UNIQUE;
CREATE CONSTRAINT document_uid IF NOT EXISTS FOR (n:Document) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT booking_key IF NOT EXISTS FOR (n:Booking) REQUIRE (n.tenant_id, n.booking_id) IS UNIQUE;
CREATE CONSTRAINT booking_uid IF NOT EXISTS FOR (n:Booking) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT competitor_price_key IF NOT EXISTS FOR (n:CompetitorPrice) REQUIRE (n.tenant_id, n.competitor_price_id) IS UNIQUE;
CREATE CONSTRAINT competitor_price_uid IF NOT EXISTS FOR (n:CompetitorPrice) REQUIRE n.uid IS UNIQUE;
CREATE CONSTRAINT entity_name_key IF NOT EXISTS FOR (n:EntityName) REQUIRE (n.tenant_id, n.name_key) IS UNIQUE;
CREATE CONSTRAINT insight_uid IF NOT EXISTS FOR (n:Insight) REQUIRE n.uid IS UNIQUE;
CREATE INDEX message_queued_at IF NOT EXISTS FOR (n:Message) ON (n.tenant_id, n.queued_at);
CREATE INDEX query_asked_at IF NOT EXISTS FOR (n:Query) ON (n.tenant_id, n.asked_at);
CREATE INDEX response_recorded_at IF NOT EXISTS FOR (n:Response) ON (n.tenant_id, n.recorded_at);
CREATE INDEX insight_valid_until IF NOT EXISTS FOR (n:Insight) ON (n.tenant_id, n.valid_until);
