"""A model behind an OpenAI-compatible endpoint: the one way in which it is asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

import httpx

from service.errors import Unavailable


@dataclass(frozen=True, slots=True)
class EndpointModel:
    """`url` is the endpoint's base, such as http://127.0.0.1:8000/v1; `key` may be None for a local one."""

    KIND: ClassVar[str]
    """What errors call it."""
    TIMEOUT_S: ClassVar[float]
    ANSWER_BYTES_MAX: ClassVar[int]

    url: str
    model: str
    key: str | None = field(default=None, repr=False)

    def client(self) -> httpx.AsyncClient:
        """A client for one or several requests."""
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        return httpx.AsyncClient(timeout=self.TIMEOUT_S, headers=headers)

    async def posted(self, client: httpx.AsyncClient, path: str, body: dict[str, Any]) -> Any:
        """The JSON that it answers, within `readable`. Raises Unavailable where it refuses."""
        response = await client.post(f"{self.url.rstrip('/')}/{path}", json=body)
        if not response.is_success or len(response.content) > self.ANSWER_BYTES_MAX:
            raise Unavailable(f"The {self.KIND} model refused to answer.")
        return response.json()

    @contextmanager
    def readable(self) -> Iterator[None]:
        """Whatever goes wrong with an answer is Unavailable, and none of it is repeated."""
        try:
            yield
        except (httpx.HTTPError, ValueError, LookupError, TypeError, RecursionError):
            raise Unavailable(f"The {self.KIND} model gave no answer that can be read.") from None
