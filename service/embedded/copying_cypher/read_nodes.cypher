MATCH (n)
WHERE id(n) IN range($first, $last)
RETURN id(n) AS number, labels(n) AS labels, properties(n) AS properties
