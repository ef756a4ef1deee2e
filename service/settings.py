"""Every setting of the service, read from the environment and stated once."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from service.private_files import read_or_make

SERVER_SECRET_BYTES: Final = 32
DATABASE_SCHEMES: Final = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")

Port = Annotated[int, Field(ge=1, le=65535)]
LogLevel = Literal["debug", "info", "warning", "error"]
Privacy = Literal["public", "internal", "personal", "sensitive", "secret"]
MetricsReach = Literal["off", "loopback", "all"]
TimeoutMs = Annotated[int, Field(ge=1, le=3_600_000)]
Folder = Annotated[Path, AfterValidator(Path.expanduser), AfterValidator(Path.absolute)]


def default_cache() -> Path:
    """`$XDG_CACHE_HOME/runtime-graph`, or `~/.cache/runtime-graph`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "runtime-graph"


class Settings(BaseSettings):
    """Read once at the start, from `RUNTIME_GRAPH_` and the setting's name in capitals.

    The four settings of the database keep the names that Neo4j's own tools use, without that prefix. Which
    database: `NEO4J_URI` when it is set; else, in tests only, a container where a Docker engine answers; else
    the embedded Neo4j in the data folder.
    """

    model_config = SettingsConfigDict(
        env_prefix="RUNTIME_GRAPH_",
        env_ignore_empty=True,
        frozen=True,
        hide_input_in_errors=True,
        use_attribute_docstrings=True,
        validate_by_name=True,
        validate_default=True,
    )

    host: str = "127.0.0.1"
    """Address the service listens on. Loopback unless told otherwise."""

    port: Port = 8480
    """Port the service listens on."""

    data_folder: Folder = Path(".runtime-graph")
    """Folder of everything that outlives a start: the embedded database, blobs, keys."""

    cache: Folder = Field(default_factory=default_cache)
    """Folder of what can be fetched again, outside the tree and shared by all installations: Neo4j's jars."""

    neo4j_uri: str | None = Field(default=None, validation_alias="NEO4J_URI")
    """Database to use in place of the embedded one: bolt:// for one server, neo4j:// or neo4j+s:// for a
    cluster or Aura."""

    neo4j_username: str = Field(default="neo4j", validation_alias="NEO4J_USERNAME")
    """User of the database at NEO4J_URI."""

    neo4j_password: SecretStr | None = Field(default=None, validation_alias="NEO4J_PASSWORD")
    """Password of that user; required with NEO4J_URI. The embedded database makes its own."""

    neo4j_database: str = Field(default="neo4j", validation_alias="NEO4J_DATABASE")
    """Name of the database at NEO4J_URI."""

    neo4j_folder: Folder | None = None
    """Folder of the embedded database. Default: `neo4j` in the data folder."""

    bolt_port: Port | None = None
    """Port of the embedded database for drivers. Default: 7687, or the next free one."""

    http_port: Port | None = None
    """Port of the embedded database for Neo4j Browser. Default: 7474, or the next free one."""

    neo4j_heap_max_mb: Annotated[int, Field(ge=256)] = 1024
    """Largest heap of the embedded database, in MiB; it starts with half of this."""

    maven_repository_url: str | None = None
    """Mirror to fetch Neo4j's jars from. Default: Maven Central. Every jar's sha256 is checked either way."""

    blob_store_url: str | None = None
    """Where large artifacts are kept, such as s3://bucket/prefix. Default: `blobs` in the data folder."""

    keys_folder: Folder | None = None
    """Folder of the service's secrets, shared by its replicas and never part of a database backup. Losing it
    makes blobs unreadable for ever, API keys and consistency tokens unusable and replays unable to repeat
    their fence. Default: `keys` in the data folder."""

    admin_key: SecretStr | None = None
    """The operator's key, which makes tenants and keys. Default: made once, in the folder of secrets."""

    summary_model_url: str | None = None
    """OpenAI-compatible endpoint of a language model for summaries, such as http://127.0.0.1:8000/v1. Only
    tenants whose configuration names a route for it use it. Default: summaries are made by rule."""

    summary_model: str = "default"
    """Name of that model, as its endpoint and the log have it."""

    summary_model_key: SecretStr | None = None
    """Key for that endpoint, where it wants one."""

    embedding_model_url: str | None = None
    """OpenAI-compatible endpoint of an embedding model, such as http://127.0.0.1:8000/v1: every text that is
    searched is sent there. Default: vectors are made on this machine, by wordllama."""

    embedding_privacy: Privacy = "personal"
    """The strictest privacy class of texts that may go to that endpoint; stricter ones are found by their
    words alone."""

    embedding_model: str = "default"
    """Name of that model, as its endpoint has it. With another one, earlier assemblies cannot be replayed."""

    embedding_model_key: SecretStr | None = None
    """Key for that endpoint, where it wants one."""

    request_timeout_ms: TimeoutMs = 30_000
    """Longest time until the answer to a request begins. What takes longer answers `timeout`, or
    `timeout_writing` where a write may have happened."""

    metrics: MetricsReach = "loopback"
    """Who may read `GET /metrics`, which names no tenant: nobody (off), callers on this machine (loopback),
    all."""

    jobs_metrics_port: Port | None = None
    """Port on which `runtime-graph jobs start` shows its own metrics. Default: it shows none."""

    log_level: LogLevel = "info"
    """The least that is logged: debug (every request), info, warning or error."""

    idempotency_retention_days: Annotated[int, Field(ge=1, le=365)] = 7
    """How long the answer to a batch is kept, so that a repetition of the batch gets it again."""

    tree_heads_file: Folder | None = None
    """File outside the database in which every signed tree head of the log is a line; shared by the
    replicas that run jobs. Default: `tree-heads.jsonl` in the data folder."""

    ledger_file: Folder | None = None
    """File outside the database that says, signed, what was destroyed; shared by all replicas and never part
    of a database backup. Default: `ledger.jsonl` in the folder of secrets."""

    tree_head_events: Annotated[int, Field(ge=1, le=1_000_000)] = 1_000
    """A branch's log gets a signed tree head at least every so many events."""

    database_start_timeout_ms: TimeoutMs = 180_000
    """Longest wait for the embedded database to answer its first query."""

    database_stop_timeout_ms: TimeoutMs = 30_000
    """Longest wait for the embedded database to end; then it is killed, and recovers at its next start."""

    @model_validator(mode="after")
    def _check_database(self) -> Self:
        if self.neo4j_uri is not None:
            if self.neo4j_uri.partition("://")[0] not in DATABASE_SCHEMES:
                raise ValueError(f"NEO4J_URI must begin with one of {', '.join(DATABASE_SCHEMES)}, then ://")
            if self.neo4j_password is None:
                raise ValueError("NEO4J_URI is set, so NEO4J_PASSWORD must be set too")
        return self

    @property
    def neo4j_home(self) -> Path:
        """Folder of the embedded database, with its default worked out."""
        return self.neo4j_folder or self.data_folder / "neo4j"

    @property
    def jar_cache(self) -> Path:
        """Folder of Neo4j's jars."""
        return self.cache / "jars"

    @property
    def blob_url(self) -> str:
        """Address of the blob store, with its default worked out."""
        return self.blob_store_url or (self.data_folder / "blobs").as_uri()

    @property
    def tree_heads(self) -> Path:
        """File of the signed tree heads, with its default worked out."""
        return self.tree_heads_file or self.data_folder / "tree-heads.jsonl"

    @property
    def ledger(self) -> Path:
        """File of the ledger, with its default worked out."""
        return self.ledger_file or self.keys / "ledger.jsonl"

    @property
    def keys(self) -> Path:
        """Folder of the secrets, with its default worked out."""
        return self.keys_folder or self.data_folder / "keys"

    @property
    def data_keys(self) -> Path:
        """Folder of the keys under which blobs are sealed; what wraps them lies beside it."""
        return self.keys / "data-keys"

    def server_secret(self) -> bytes:
        """The 32 random bytes from which fences and key hashes are derived; made once, mode 0600."""
        return read_or_make(self.keys / "server.secret", lambda: secrets.token_bytes(SERVER_SECRET_BYTES))

    def operator_key(self) -> str:
        """The operator's key: the one that is set, else one made once, mode 0600."""
        if self.admin_key is not None:
            return self.admin_key.get_secret_value()
        made = read_or_make(self.keys / "admin.key", lambda: f"rgadmin_{secrets.token_urlsafe(32)}".encode())
        return made.decode()
