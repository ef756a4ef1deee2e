MATCH (a)-[r]->(b)
WHERE id(r) IN range($first, $last)
RETURN id(r) AS number, type(r) AS type, id(a) AS start, id(b) AS end, properties(r) AS properties
