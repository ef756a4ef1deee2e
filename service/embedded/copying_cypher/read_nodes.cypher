UNWIND range($first, $last) AS number
MATCH (n)
WHERE id(n) = number
RETURN number, labels(n) AS labels, properties(n) AS properties
