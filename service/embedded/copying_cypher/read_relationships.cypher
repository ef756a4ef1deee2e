UNWIND range($first, $last) AS number
MATCH (a)-[r]->(b)
WHERE id(r) = number
RETURN number, type(r) AS type, id(a) AS start, id(b) AS end, properties(r) AS properties
