// List what the database's nodes hold: labels, a property and its types. It reads every node.
// scope: system · access: read · index: none (a procedure)
// params: none
// returns: labels: list[str], property: str | None, types: list[str] | None (many)
CALL db.schema.nodeTypeProperties() YIELD nodeLabels, propertyName, propertyTypes
RETURN nodeLabels AS labels, propertyName AS property, propertyTypes AS types
