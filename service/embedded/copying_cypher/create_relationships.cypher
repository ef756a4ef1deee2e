UNWIND $rows AS row
MATCH (a)
WHERE id(a) = row.start
MATCH (b)
WHERE id(b) = row.end
CREATE (a)-[r:$(row.type)]->(b)
SET r = row.properties
RETURN count(r) AS made
