SHOW INDEXES YIELD name, type, owningConstraint, createStatement
WHERE owningConstraint IS NULL AND type <> 'LOOKUP'
RETURN createStatement AS statement
ORDER BY name
