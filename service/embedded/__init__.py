"""A real Neo4j Community server from nothing but Python: jars by coordinate, Java from a wheel."""

from service.embedded.jars import JarError, fetch_jars
from service.embedded.server import EmbeddedNeo4j, EmbeddedNeo4jError

__all__ = ["EmbeddedNeo4j", "EmbeddedNeo4jError", "JarError", "fetch_jars"]
