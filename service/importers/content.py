"""Message content without its bytes: a part may name an image, it never holds one."""

from __future__ import annotations

import base64
import binascii
from typing import Any

_TYPE_NAMES = ("media_type", "mime_type", "mimeType", "format")
_DATA_NAMES = ("data", "file_data")
_HEAD_CHARS = 256


def without_bytes(value: Any) -> Any:
    """The same JSON value with every embedded file replaced by its media type and size.

    Known shapes: `data:` URLs, and objects that name a media type beside a string of base64.
    """
    if isinstance(value, list):
        return [without_bytes(item) for item in value]
    if isinstance(value, str):
        return _measured_url(value) if value.startswith("data:") else value
    if not isinstance(value, dict):
        return value
    kept = {name: without_bytes(item) for name, item in value.items()}
    if value.get("type") != "text" and any(isinstance(value.get(name), str) for name in _TYPE_NAMES):
        for name in _DATA_NAMES:
            if isinstance(data := value.get(name), str) and (size_bytes := _size_bytes(data)) is not None:
                del kept[name]
                kept["size_bytes"] = size_bytes
    return kept


def _measured_url(url: str) -> Any:
    head, comma, data = url.partition(",")
    if not comma or len(head) > _HEAD_CHARS or not head.endswith(";base64"):
        return url
    size_bytes = _size_bytes(data)
    return url if size_bytes is None else {"media_type": head[5 : -len(";base64")], "size_bytes": size_bytes}


def _size_bytes(data: str) -> int | None:
    """How many bytes a text of base64 stands for; None where it is something else."""
    try:
        return len(base64.b64decode(data.replace("\n", "").replace("\r", ""), validate=True))
    except (binascii.Error, ValueError):
        return None


def plain_or_whole(content: list[Any]) -> Any:
    """A tool result given as blocks: the text itself where it is one of text, else all blocks as JSON."""
    match content:
        case [{"type": "text", "text": str(text)}]:
            return text
        case _:
            return without_bytes(content)
