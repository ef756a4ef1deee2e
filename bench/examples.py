"""Sampled contexts as Markdown, for a person to read: what the model gets, what not, what it needed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from bench.replay import Context, Message

FENCE = "~~~~"


def write_examples(
    folder: Path,
    source: str,
    scoring: ModuleType,
    runs: Sequence[list[Message]],
    contexts: Sequence[Context],
    count: int,
) -> None:
    """Write `count` contexts, spread evenly over all calls, each into a file of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = source.split(".")[0]
    chosen = [contexts[at * len(contexts) // count] for at in range(min(count, len(contexts)))]
    for context in chosen:
        path = folder / f"{stem}-run-{context.run:03}-call-{context.at:03}.md"
        path.write_text(_page(source, scoring, runs[context.run], context), encoding="utf-8")


def _page(source: str, scoring: ModuleType, messages: list[Message], context: Context) -> str:
    answer, at = context.answer, context.at
    tokens = answer["tokens"]
    lines = [
        f"# Run {context.run} of {source}, before message {at}",
        "",
        f"Budget {context.granted_tokens:,}, assembled {tokens['assembled']:,}, full transcript "
        f"{tokens['full_transcript']:,} tokens ({tokens['encoding']}): {tokens['saved_share']:.0%} saved.",
        "",
        "## The context",
    ]
    for section in answer["sections"]:
        heading = f"### {section['section']} ({section['role']}, {section['tokens']:,} tokens)"
        lines += ["", heading, "", FENCE, section["text"].rstrip("\n"), FENCE]
    lines += ["", "## What stayed out", "", *(_omission(entry) for entry in answer["omissions"])]
    if not answer["omissions"]:
        lines.append("Nothing.")
    lines += ["", "## The call that followed in the recording", "", FENCE]
    lines += [f"{c['function']['name']}({c['function']['arguments']})" for c in messages[at]["tool_calls"]]
    lines += [FENCE, "", *_needs(scoring, messages, context), ""]
    return "\n".join(lines)


def _omission(entry: dict[str, Any]) -> str:
    return f"- {entry['count']:,} by `{entry['reason']}`: {entry['sentence']}"


def _needs(scoring: ModuleType, messages: list[Message], context: Context) -> list[str]:
    user, tool = scoring.needed(messages, context.at)
    text = context.text
    found = {value: any(True for _ in scoring.places(text, value)) for value in user}
    found |= {value: scoring.labelled(text, value, labels) for value, labels in tool.items()}
    if not found:
        return ["It needed nothing from before."]
    missing = sorted(value for value, there in found.items() if not there)
    told = f"Of the {len(found)} values it needed, the context holds {len(found) - len(missing)}."
    return [told if not missing else f"{told} Not there: {', '.join(f'`{value}`' for value in missing)}."]
