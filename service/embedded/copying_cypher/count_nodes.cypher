MATCH (n)
RETURN count(n) AS total
