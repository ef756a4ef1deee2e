"""Ask a language model behind an OpenAI-compatible endpoint for one JSON object."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar

from service.language.endpoint import EndpointModel


@dataclass(frozen=True, slots=True)
class ChatModel(EndpointModel):
    """A model that writes."""

    KIND: ClassVar = "language"
    TIMEOUT_S: ClassVar = 60.0
    ANSWER_BYTES_MAX: ClassVar = 1024 * 1024

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
        with self.readable():
            async with self.client() as client:
                answer = await self.posted(client, "chat/completions", body)
            return json.loads(answer["choices"][0]["message"]["content"])
