"""What an action leaves of a node: other properties, in place of its words or of its bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, Final

from service.model.chain import canonical
from service.model.vocabulary import Label, RetentionAction
from service.usecases.erasure.nodes import TEXTS

Row = dict[str, Any]
BYTES: Final[Mapping[Label, str]] = {Label.TOOL_CALL: "arguments", Label.TOOL_ARTIFACT: "result"}
"""The property of a label that a blob may hold for it."""
_JSON: Final[Mapping[tuple[Label, str], Callable[[str], Any]]] = {
    (Label.MESSAGE, "parts"): lambda digest: None,
    (Label.CLAIM, "value"): lambda digest: canonical(digest) if digest else None,
    (Label.USER_MEMORY, "value"): canonical,
    (Label.WORKING_MEMORY, "fields"): lambda digest: canonical({"sha256": digest} if digest else {}),
}
"""How properties of JSON say a digest, or an empty text."""


def blob_of(label: Label, kept: Row) -> str | None:
    """The hash of the blob that holds a node's bytes."""
    return kept.get(f"{BYTES[label]}_blob") if label in BYTES else None


def inline_of(label: Label, kept: Row) -> str | None:
    """A node's bytes, where they are in the node and a blob could hold them."""
    text: str | None = kept.get(BYTES[label]) if label in BYTES else None
    return text or None


def offloaded(label: Label, kept: Row) -> Row:
    """The properties of a node whose bytes a blob holds from now on."""
    name = BYTES[label]
    return {name: None, f"{name}_blob": kept[f"{name}_sha256"]}


def without_words(label: Label, kept: Row, action: RetentionAction) -> Row:
    """The properties of a node whose words are gone, or whose digests stand for them."""
    new: Row = {"retained_as": action.value}
    for name in TEXTS.get(label, ()):
        if (old := kept.get(name)) is None:
            continue
        digest = f"sha256:{_sha256(old)}" if action is RetentionAction.HASH else ""
        new[name] = _said(label, name, old, digest)
    if (blob := blob_of(label, kept)) is not None:
        name = BYTES[label]
        new |= {name: f"sha256:{blob}" if action is RetentionAction.HASH else "", f"{name}_blob": None}
    return new | ({"queued_at": None} if label is Label.MESSAGE else {})


def _said(label: Label, name: str, old: Any, digest: str) -> Any:
    if isinstance(old, list):
        return [digest] if digest else []
    say = _JSON.get((label, name))
    return say(digest) if say else digest


def _sha256(value: str | list[str]) -> str:
    return hashlib.sha256((value if isinstance(value, str) else canonical(value)).encode()).hexdigest()
