CALL db.awaitIndexes(3600)
