// List the indexes that the database holds beside those of constraints and its own for look-ups by label.
// scope: system · access: read · index: none (a schema command)
// params: none
// returns: name: str, type: str, labels: list[str], properties: list[str] (many)
SHOW INDEXES YIELD name, type, labelsOrTypes, properties, owningConstraint
WHERE owningConstraint IS NULL AND type <> 'LOOKUP'
RETURN name, type, labelsOrTypes AS labels, properties
