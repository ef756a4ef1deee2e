"""The folder of one embedded Neo4j: what lies where, its configuration, its password and its lock."""

from __future__ import annotations

import fcntl
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PASSWORD_BYTES = 18
JVM_FLAGS = (
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
    "-XX:+UseG1GC",
    "-XX:+ExitOnOutOfMemoryError",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dlog4j2.disable.jmx=true",
    "-Dfile.encoding=UTF-8",
)
DEFAULT_CONF: Mapping[str, str] = {
    "server.default_listen_address": "127.0.0.1",
    "server.https.enabled": "false",
    "server.http_enabled_modules": "BROWSER,QUERY_API_ENDPOINTS,TRANSACTIONAL_ENDPOINTS",
    "server.memory.pagecache.size": "256m",
    "dbms.security.auth_enabled": "true",
    "dbms.usage_report.enabled": "false",
    "client.allow_telemetry": "false",
    "db.tx_log.rotation.size": "16M",
    "db.tx_log.preallocate": "false",
    "db.transaction.timeout": "60s",
    "db.lock.acquisition.timeout": "10s",
    "db.memory.transaction.max": "256m",
}


class HomeInUseError(Exception):
    """Another process of this machine runs the database of this home."""


@dataclass(frozen=True, slots=True)
class Home:
    """Paths below one folder; nothing else of the system is written to."""

    path: Path

    @property
    def conf_file(self) -> Path:
        return self.path / "conf" / "neo4j.conf"

    @property
    def java_arguments_file(self) -> Path:
        return self.path / "conf" / "java.args"

    @property
    def password_file(self) -> Path:
        return self.path / "password"

    @property
    def pid_file(self) -> Path:
        return self.path / "run" / "java.pid"

    @property
    def address_file(self) -> Path:
        return self.path / "run" / "address.json"

    @property
    def log_file(self) -> Path:
        return self.path / "logs" / "console.log"

    @property
    def identity(self) -> str:
        """The argument that tells this home's Java from every other process."""
        return f"@{self.java_arguments_file}"

    @property
    def was_started(self) -> bool:
        """Whether a Neo4j has made its databases here; its password can only be set before."""
        return (self.path / "data" / "databases" / "system").exists()

    def lay_out(self) -> None:
        """Make the folders; only the owner may read them."""
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name in ("conf", "data", "logs", "plugins", "run"):
            (self.path / name).mkdir(exist_ok=True)

    def password(self) -> str:
        """Answer the password of user `neo4j`; made at random once, kept in a file with mode 0600."""
        if not self.password_file.exists():
            part = self.password_file.with_suffix(".part")
            part.unlink(missing_ok=True)
            write_private(part, secrets.token_urlsafe(PASSWORD_BYTES))
            part.replace(self.password_file)
        return self.password_file.read_text(encoding="ascii")

    def write_conf(self, conf: Mapping[str, str], bolt_port: int, http_port: int) -> None:
        """Write neo4j.conf: the defaults, then the ports, then `conf`, each setting once (Neo4j insists)."""
        addresses = {
            f"server.{kind}.{side}_address": f"127.0.0.1:{port}"
            for kind, port in (("bolt", bolt_port), ("http", http_port))
            for side in ("listen", "advertised")
        }
        lines = [f"{name}={value}\n" for name, value in {**DEFAULT_CONF, **addresses, **conf}.items()]
        self.conf_file.write_text("".join(lines), encoding="utf-8")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold this home; raises `HomeInUseError` at once when another process (or object) holds it."""
        with (self.path / "lock").open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise HomeInUseError(
                    "another process uses this database folder: stop it first, or choose another folder"
                ) from None
            yield


def write_private(path: Path, text: str) -> None:
    """Make a new file that only its owner can read, from its first byte on."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def java_arguments(arguments: list[str]) -> str:
    """The text of a Java argument file: one quoted argument a line."""
    return "".join('"' + item.replace("\\", "\\\\").replace('"', '\\"') + '"\n' for item in arguments)
