"""A model behind an endpoint: a server of our own on loopback, which the real client asks over HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]


class PlayedModel:
    """What the endpoint was asked, under which keys, and how it answers."""

    def __init__(self) -> None:
        self.asked: list[Json] = []
        self.keys: list[str | None] = []
        self.status = 200

    def answer(self, body: Json) -> Json:
        """The answer to a request."""
        raise NotImplementedError


@contextmanager
def served(model: PlayedModel) -> Iterator[str]:
    """The endpoint's base, while the block runs."""

    class Endpoint(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            model.asked.append({"path": self.path, **body})
            model.keys.append(self.headers.get("Authorization"))
            answer = json.dumps(model.answer(body)).encode()
            self.send_response(model.status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
