UNWIND $rows AS row
CREATE (n:$(row.labels))
SET n = row.properties
RETURN row.number AS old, id(n) AS new
