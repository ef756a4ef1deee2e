// List what the database's relationships hold: type, a property and its types. It reads every relationship.
// scope: system · access: read · index: none (a procedure)
// params: none
// returns: type: str, property: str | None, types: list[str] | None (many)
CALL db.schema.relTypeProperties() YIELD relType, propertyName, propertyTypes
RETURN relType AS type, propertyName AS property, propertyTypes AS types
