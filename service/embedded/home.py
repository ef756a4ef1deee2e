"""The folder of one embedded Neo4j: what lies where, its configuration, its password and its lock."""

from __future__ import annotations

import fcntl
import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from service.embedded.problems import HomeInUse, StartFailed
from service.embedded.processes import find_running
from service.private_files import read_or_make

PASSWORD_BYTES = 16
CONF: Mapping[str, str] = {
    "server.default_listen_address": "127.0.0.1",
    "server.https.enabled": "false",
    "server.http_enabled_modules": "BROWSER,QUERY_API_ENDPOINTS,TRANSACTIONAL_ENDPOINTS",
    "server.memory.pagecache.size": "256m",
    "dbms.security.auth_enabled": "true",
    "dbms.usage_report.enabled": "false",
    "client.allow_telemetry": "false",
    # What was deleted stays in the transaction log until that is pruned, at a checkpoint and but for the file
    # in use. Community has no `db.checkpoint()`: checkpoints come by a clock that is looked at every 10 s.
    "db.checkpoint.interval.time": "10s",
    "db.tx_log.rotation.retention_policy": "keep_none",
    "db.tx_log.rotation.size": "2m",
    "db.tx_log.preallocate": "false",
    "db.transaction.timeout": "60s",
    "db.lock.acquisition.timeout": "10s",
    "db.memory.transaction.max": "256m",
    # Every plan is tested on an empty database. Choosing anew as that grows, or for a list of 11 where there
    # was one of 9, costs up to 1 s a query.
    "dbms.cypher.min_replan_interval": "1h",
    "internal.cypher.use_parameter_size": "false",
    # A stop waits for this twice, 5 s each by default, in case a client that comes late still wants in.
    "internal.dbms.bolt.netty_server_shutdown_quiet_period": "0",
}


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server listens. Its password is not part of it."""

    uri: str
    browser_url: str


@dataclass(frozen=True, slots=True)
class Home:
    """Paths below one folder; nothing else of the system is written to."""

    path: Path

    @property
    def conf_folder(self) -> Path:
        return self.path / "conf"

    @property
    def password_file(self) -> Path:
        return self.path / "password"

    @property
    def run_folder(self) -> Path:
        """What one run tells the next; a home without it is whole."""
        return self.path / "run"

    @property
    def pid_file(self) -> Path:
        """Holds the process id of the newest Java of this home, which may have ended since."""
        return self.run_folder / "java.pid"

    @property
    def transaction_logs(self) -> Path:
        """Where the files of the transaction log lie, oldest number first by name's end."""
        return self.path / "data" / "transactions" / "neo4j"

    @property
    def log_file(self) -> Path:
        return self.path / "logs" / "console.log"

    @property
    def java_arguments_file(self) -> Path:
        return self.conf_folder / "java.args"

    @property
    def identity(self) -> str:
        """The command line argument that tells this home's Java from every other process."""
        return f"@{self.java_arguments_file}"

    @property
    def was_started(self) -> bool:
        """Whether a Neo4j has made its databases here; its first password can only be set before."""
        return (self.path / "data" / "databases" / "system").exists()

    def lay_out(self) -> None:
        """Make the folders; only the owner may enter them."""
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name in ("conf", "data", "logs", "plugins", "run"):
            (self.path / name).mkdir(exist_ok=True)

    def password(self) -> str:
        """The password of user `neo4j`: made at random once, kept in a file with mode 0600."""
        if self.was_started and not self.password_file.exists():
            raise StartFailed(f"the database's password is gone: restore {self.password_file}")
        # Hexadecimal: one that began with a dash would be taken for an option by the tool that sets it.
        return read_or_make(self.password_file, lambda: secrets.token_hex(PASSWORD_BYTES).encode()).decode()

    def write_conf(self, conf: Mapping[str, str], bolt_port: int, http_port: int) -> None:
        """Write neo4j.conf: `CONF`, then the ports, then `conf`, each setting once (Neo4j insists)."""
        addresses = {
            f"server.{kind}.{side}_address": f"127.0.0.1:{port}"
            for kind, port in (("bolt", bolt_port), ("http", http_port))
            for side in ("listen", "advertised")
        }
        lines = [f"{name}={value}\n" for name, value in {**CONF, **addresses, **conf}.items()]
        (self.conf_folder / "neo4j.conf").write_text("".join(lines), encoding="utf-8")

    def running_pid(self) -> int | None:
        """The process id of this home's Java while it lives, whoever started it."""
        return find_running(self.pid_file, self.identity)

    def write_address(self, address: Address | None) -> None:
        """Tell other processes where the server listens; None: nowhere."""
        file = self.run_folder / "address.json"
        if address is None:
            file.unlink(missing_ok=True)
        else:
            file.write_text(json.dumps(asdict(address)), encoding="utf-8")

    def read_address(self) -> Address | None:
        """Where the server of this home answers, or None when none is ready."""
        if self.running_pid() is None:
            return None
        try:
            return Address(**json.loads((self.path / "run" / "address.json").read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold this home; raises `HomeInUse` at once when another process or object holds it."""
        with (self.path / "lock").open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                problem = f"another process runs the database in {self.path}"
                raise HomeInUse(f"{problem}: stop it first, or choose another folder") from None
            yield
