"""What a node reads when people are taken out of it: which of its properties are texts, and their cost."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from service.model.vocabulary import Label
from service.text.notes import POINTER_ROOM, headline_line, noted_lines, record_line
from service.text.redacting import Redact
from service.text.tokens import Tokenizer
from service.usecases.erasure.people import Row

TEXTS: Final[Mapping[Label, tuple[str, ...]]] = {
    Label.MESSAGE: ("text", "parts"),
    Label.MODEL_RUN: ("error",),
    Label.TOOL_CALL: ("arguments", "parameters"),
    Label.TOOL_ARTIFACT: ("result", "error"),
    Label.TOOL_MEMORY: ("headline", "records", "record_key", "record_fields", "parameters", "limits"),
    Label.USER_MEMORY: ("subject", "predicate", "value", "memory_key"),
    Label.CLAIM: ("text", "value"),
    Label.PIN: ("text",),
    Label.SKILL_STATE: ("skills", "profiles", "direct_tools", "integrations"),
    Label.WORKING_MEMORY: ("fields", "block"),
    Label.CONTINUATION_CHECKPOINT: ("budgets",),
    Label.KNOWLEDGE_DOCUMENT: ("title", "source"),
    Label.KNOWLEDGE_PASSAGE: ("text",),
    Label.QUERY: ("text",),
    Label.RESPONSE: ("text",),
    Label.POLICY_DECISION: ("summary",),
}
"""Properties with words, by label; data is text as JSON spells it."""


def changed(label: Label, kept: Row, redact: Redact, tokenizer: Tokenizer) -> Row:
    """The properties that read otherwise, with what they cost then; empty where nothing does."""
    new: Row = {}
    for name in TEXTS[label]:
        old = kept.get(name)
        if old is None:
            continue
        read = [redact(one) for one in old] if isinstance(old, list) else redact(old)
        if read != old:
            new[name] = read
    return with_costs(label, new, kept, tokenizer) if new else new


def with_costs(label: Label, new: Row, kept: Row, tokenizer: Tokenizer) -> Row:
    """Properties that read otherwise, with what the node costs then; `kept` are those that it has."""
    return new | _COSTS.get(label, _nothing)({**kept, **new}, kept, tokenizer)


def _nothing(new: Row, kept: Row, tokenizer: Tokenizer) -> Row:
    return {}


def _text(new: Row, kept: Row, tokenizer: Tokenizer) -> Row:
    """Images and files keep their cost."""
    if new["text"] is None or kept.get("tokens") is None:
        return {}
    return {"tokens": kept["tokens"] - tokenizer.count(kept["text"]) + tokenizer.count(new["text"])}


def _arguments(new: Row, kept: Row, tokenizer: Tokenizer) -> Row:
    counted = tokenizer.count(f"{new['tool_name']}({new['arguments']})")
    return _bytes("arguments", new["arguments"]) | {"arguments_tokens": counted}


def _result(new: Row, kept: Row, tokenizer: Tokenizer) -> Row:
    result = new.get("result")
    told = {"result_tokens": tokenizer.count(result or new.get("error") or "")}
    return told if result is None else told | _bytes("result", result)


def _bytes(name: str, text: str) -> Row:
    data = text.encode()
    return {f"{name}_sha256": hashlib.sha256(data).hexdigest(), f"{name}_bytes": len(data)}


def _memory(new: Row, kept: Row, tokenizer: Tokenizer) -> Row:
    return {
        "headline_tokens": tokenizer.count(headline_line(POINTER_ROOM, new["headline"])),
        "record_tokens": [tokenizer.count(record_line(one)) for one in new["records"]],
    }


def _value(new: Row, kept: Row, tokenizer: Tokenizer) -> Row:
    return {"tokens": tokenizer.count(json.loads(new["value"]))}


def _told(new: Row, kept: Row, tokenizer: Tokenizer) -> Row:
    return {"tokens": tokenizer.count(new["summary"])}


def _noted(new: Row, kept: Row, tokenizer: Tokenizer) -> Row:
    return {"tokens": tokenizer.count(noted_lines(json.loads(new["fields"]).items(), new.get("block")))}


_COSTS: Final[Mapping[Label, Callable[[Row, Row, Tokenizer], dict[str, Any]]]] = {
    Label.MESSAGE: _text,
    Label.PIN: _text,
    Label.KNOWLEDGE_PASSAGE: _text,
    Label.TOOL_CALL: _arguments,
    Label.TOOL_ARTIFACT: _result,
    Label.TOOL_MEMORY: _memory,
    Label.USER_MEMORY: _value,
    Label.WORKING_MEMORY: _noted,
    Label.POLICY_DECISION: _told,
}
