MATCH ()-[r]->()
RETURN max(id(r)) AS number
