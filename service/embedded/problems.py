"""Why an embedded Neo4j cannot be had; every message tells a person what to do."""


class EmbeddedNeo4jError(Exception):
    """Base of the tree."""


class JarRefused(EmbeddedNeo4jError):
    """A jar cannot be had: the network failed, or what arrived is not what `jars.lock` names."""


class HomeInUse(EmbeddedNeo4jError):
    """Another process runs the database of this home."""


class StartFailed(EmbeddedNeo4jError):
    """Neo4j did not start, or is not started; the message says why and names the log."""
