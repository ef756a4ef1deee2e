"""A Maven repository of small jars on loopback, which counts what is asked of it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from service.embedded.jars import Jar

JAR_NAMES = ("alpha", "beta", "gamma")


@dataclass
class Repository:
    """`files` is by path; change it to change what is served."""

    url: str
    files: dict[str, bytes]
    requests: Counter[str] = field(default_factory=Counter)

    @property
    def jar_requests(self) -> int:
        return sum(count for path, count in self.requests.items() if path.endswith(".jar"))


def small_jars(contents: Mapping[str, bytes] | None = None) -> tuple[tuple[Jar, ...], dict[str, bytes]]:
    """Jars with the lock's view of them, and the files that a repository serves for them."""
    contents = contents or {name: name.encode() * 1000 for name in JAR_NAMES}
    jars = tuple(
        Jar("org.example", name, "1.0", "", hashlib.sha256(content).hexdigest())
        for name, content in contents.items()
    )
    return jars, {path_of(jar): contents[jar.artifact] for jar in jars}


def path_of(jar: Jar) -> str:
    return f"/{jar.group.replace('.', '/')}/{jar.artifact}/{jar.version}/{jar.filename}"


@contextmanager
def serving(files: dict[str, bytes]) -> Iterator[Repository]:
    repository = Repository("", files)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            repository.requests[self.path] += 1
            content = repository.files.get(self.path)
            self.send_response(200 if content is not None else 404)
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        repository.url = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield repository
        server.shutdown()
        thread.join()
