// Keep signed tree heads.
// scope: system · access: write · index: none (creates nodes)
// params: tree_heads: list[map]
// returns: (none)
// eager: at most a batch of rows; a map may set any property, which the planner must assume
UNWIND $tree_heads AS row
CREATE (h:TreeHead)
SET h = row
