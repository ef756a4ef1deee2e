"""`runtime-graph import`: recorded runs into the graph, all checked before anything is sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from service.cli.console import console, problems
from service.cli.requests import KeyOption, UrlOption, service_url
from service.cli.sending import NotSentError, Sent, client_for, send
from service.importers import Format, ImportedConversation, TranscriptError, read

SHOWN_KINDS = {
    "messages": "message",
    "model runs": "model_run",
    "tool calls": "tool_call",
    "results": "tool_result",
}

Found = dict[Path, list[ImportedConversation]]


def register(main: typer.Typer) -> None:
    """Add the command to the console script."""
    main.command("import")(import_runs)


def import_runs(
    files: Annotated[list[Path], typer.Argument(help="Recordings: .json, .jsonl, or either gzipped.")],
    format: Annotated[
        Format | None, typer.Option(help="What the files are; left out, their content decides.")
    ] = None,
    user_id: Annotated[
        str | None,
        typer.Option(help="The person behind these files; left out: one per conversation."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check and count; send nothing.")] = False,
    url: UrlOption = None,
    key: KeyOption = None,
) -> None:
    """Import recorded agent runs: OpenAI chat, ToolTalk, Anthropic messages, Claude Code sessions.

    Every file is checked whole before anything is sent; a fault names file, line and field. A conversation is
    recorded all or nothing, and importing it again changes nothing.
    """
    if not dry_run and not key:
        problems.print("An API key is needed: --key or RUNTIME_GRAPH_KEY. Or look first with --dry-run.")
        raise typer.Exit(2)
    found = _read_all(files, format, user_id)
    console.print(_summary(found))
    for what, count in _skipped(found):
        console.print(f"not imported: {count:,} {what}")
    if dry_run or not key:
        console.print("Nothing was sent: this was a dry run.")
        return
    conversations = [one for of_a_file in found.values() for one in of_a_file]
    _tell(_send_all(conversations, service_url(url), key))


def _read_all(paths: list[Path], format: Format | None, user_id: str | None) -> Found:
    found: Found = {}
    faults: list[TranscriptError] = []
    with _progress() as progress:
        task = progress.add_task("reading", total=len(paths))
        for path in paths:
            try:
                found[path] = read(path, format, user_id)
            except TranscriptError as fault:
                faults.append(fault)
            progress.advance(task)
    if faults:
        for each in faults:
            problems.print(str(each), style="red")
        problems.print("Nothing was sent.")
        raise typer.Exit(1)
    return found


def _send_all(conversations: list[ImportedConversation], url: str, key: str) -> list[Sent]:
    sent = []
    with client_for(url, key) as client, _progress() as progress:
        task = progress.add_task("recording", total=len(conversations))
        for conversation in conversations:
            try:
                sent.append(send(client, conversation))
            except NotSentError as fault:
                progress.stop()
                problems.print(str(fault), style="red")
                problems.print(f"{len(sent)} of {len(conversations)} are recorded; the rest was not tried.")
                raise typer.Exit(1) from None
            progress.advance(task)
    return sent


def _tell(sent: list[Sent]) -> None:
    new = [one for one in sent if not one.repeated]
    console.print(f"Recorded {len(new):,} conversations with {sum(one.events for one in new):,} events.")
    if len(new) < len(sent):
        console.print(f"{len(sent) - len(new):,} were recorded before and are unchanged.")


def _summary(found: Found) -> Table:
    table = Table("file", "conversations", *SHOWN_KINDS, title="What the files hold", title_justify="left")
    table.columns[0].overflow = "fold"
    for column in table.columns[1:]:
        column.justify = "right"
    for path, conversations in found.items():
        counts: Counter[str] = sum((one.counts() for one in conversations), Counter())
        shown = [len(conversations), *(counts[kind] for kind in SHOWN_KINDS.values())]
        table.add_row(path.name, *(f"{count:,}" for count in shown))
    return table


def _skipped(found: Found) -> Iterable[tuple[str, int]]:
    total: Counter[str] = Counter()
    for conversations in found.values():
        for one in conversations:
            total.update(one.skipped)
    return total.most_common()


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=problems,
        transient=True,
    )
