// Set what edges to answers count before they age, and with it what they count now. The edges' ids come from the same
// transaction.
// scope: tenant · access: write · index: none (edges by their own ids)
// params: tenant_id: str, edges: list[map]
// returns: (none)
// eager: at most the few edges of one answer
UNWIND $edges AS row
MATCH ()-[a:ANSWERED_BY]->()
WHERE elementId(a) = row.edge_id
WITH a, row, startNode(a) AS q
WHERE q.tenant_id = $tenant_id
SET a.initial_weight = row.initial_weight, a.weight = row.weight
