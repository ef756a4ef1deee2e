"""Ask a language model behind an OpenAI-compatible endpoint for one JSON object."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import httpx

from service.errors import Unavailable

TIMEOUT_S = 60.0
ANSWER_BYTES_MAX = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ChatModel:
    """`url` is the endpoint's base, such as http://127.0.0.1:8000/v1; `key` may be None for a local one."""

    url: str
    model: str
    key: str | None = field(default=None, repr=False)

    async def answer(self, instructions: str, text: str) -> Any:
        """The JSON value that the model answers with. Raises Unavailable where none comes in TIMEOUT_S."""
        body = {
            "model": self.model,
            "temperature": 0,
            "response_format": {"type": "json_object"},
            "messages": [
                {"role": "system", "content": instructions},
                {"role": "user", "content": text},
            ],
        }
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        try:
            async with httpx.AsyncClient(timeout=TIMEOUT_S, headers=headers) as client:
                response = await client.post(f"{self.url.rstrip('/')}/chat/completions", json=body)
            if not response.is_success or len(response.content) > ANSWER_BYTES_MAX:
                raise Unavailable("The language model refused to answer.")
            return json.loads(response.json()["choices"][0]["message"]["content"])
        except (httpx.HTTPError, ValueError, LookupError, TypeError, RecursionError):
            raise Unavailable("The language model gave no answer that can be read.") from None
