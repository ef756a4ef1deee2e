// Claims: found by the client's id, by the service's, and by their place.

CREATE CONSTRAINT claim_key IF NOT EXISTS FOR (n:Claim) REQUIRE (n.tenant_id, n.claim_id) IS UNIQUE;
CREATE CONSTRAINT claim_uid IF NOT EXISTS FOR (n:Claim) REQUIRE n.uid IS UNIQUE;
CREATE INDEX claim_place IF NOT EXISTS FOR (n:Claim) ON (n.branch_ref, n.seq);
