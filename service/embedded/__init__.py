"""A real Neo4j Community server from nothing but Python: jars by coordinate, Java from a wheel."""

from service.embedded.database import Database, embedded_neo4j, open_database, rebuild_database
from service.embedded.home import Address, Home
from service.embedded.jars import Progress, fetch_jars
from service.embedded.problems import EmbeddedNeo4jError, HomeInUse, JarRefused, StartFailed
from service.embedded.rebuild import RebuildFailed, Rebuilt
from service.embedded.server import EmbeddedNeo4j

__all__ = [
    "Address",
    "Database",
    "EmbeddedNeo4j",
    "EmbeddedNeo4jError",
    "Home",
    "HomeInUse",
    "JarRefused",
    "Progress",
    "RebuildFailed",
    "Rebuilt",
    "StartFailed",
    "embedded_neo4j",
    "fetch_jars",
    "open_database",
    "rebuild_database",
]
