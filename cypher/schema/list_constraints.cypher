// List the constraints that the database holds.
// scope: system · access: read · index: none (a schema command)
// params: none
// returns: name: str, type: str, labels: list[str], properties: list[str] (many)
SHOW CONSTRAINTS YIELD name, type, labelsOrTypes, properties
RETURN name, type, labelsOrTypes AS labels, properties
