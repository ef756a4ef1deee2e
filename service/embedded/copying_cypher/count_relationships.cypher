MATCH ()-[r]->()
RETURN count(r) AS total
