"""`runtime-graph assemble`: a context for the next model call, with its arithmetic and its omissions."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from service.cli.console import console
from service.cli.requests import KeyOption, UrlOption, call, service_url
from service.text.render import Format


def register(main: typer.Typer) -> None:
    """Add the command to the console script."""
    main.command()(assemble)


def assemble(
    conversation_id: Annotated[str, typer.Argument(help="The conversation, by the client's id.")],
    participant: Annotated[str, typer.Option(help="Who asks: the seat whose model is called next.")],
    budget: Annotated[int, typer.Option(min=1, help="Bound on the whole context, in tokens.")] = 8000,
    branch: Annotated[str, typer.Option(help="The branch.")] = "main",
    provider: Annotated[str, typer.Option(help="The provider route.")] = "openai",
    profile: Annotated[
        str | None, typer.Option(help="default, economy or thorough; left out: as it is configured.")
    ] = None,
    format: Annotated[Format, typer.Option(help="Shape of the request in --json.")] = Format.OPENAI_CHAT,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole answer as JSON.")] = False,
    url: UrlOption = None,
    key: KeyOption = None,
) -> None:
    """Assemble a context on a running service and print it by section, with its arithmetic and omissions.

    `--json` prints the whole answer: its `request` has the messages in the order in which the model reads.
    """
    if not key:
        raise typer.BadParameter("an API key is needed: --key or RUNTIME_GRAPH_KEY")
    body = {
        "conversation_id": conversation_id,
        "branch_id": branch,
        "participant_id": participant,
        "provider": provider,
        "budget_tokens": budget,
        "profile": profile,
        "format": format.value,
    }
    answer = call("POST", f"{service_url(url)}/v1/assemble", key, body)
    if as_json:
        console.print_json(json.dumps(answer))
        return
    show_context(answer)


def show_context(answer: dict[str, Any]) -> None:
    """Sections, token arithmetic and omissions of an answer of `POST /v1/assemble`."""
    for section in answer["sections"]:
        trust = "authoritative" if section["authoritative"] else "untrusted data"
        title = f"{section['section']} · {section['tokens']:,} tokens · {section['role']} role · {trust}"
        panel = Panel(Text(section["text"].rstrip("\n")), title=title, title_align="left")
        console.print(panel, soft_wrap=False)
    tokens = answer["tokens"]
    within = sum(section["tokens"] for section in answer["sections"])
    console.print(
        f"full transcript {tokens['full_transcript']:,} tokens, assembled {tokens['assembled']:,} of a "
        f"budget of {tokens['budget']:,} ({within:,} in the sections, {tokens['assembled'] - within:,} "
        f"around messages and tools), saved {tokens['saved']:,} ({tokens['saved_share']:.1%}); "
        f"counted with {tokens['encoding']}"
    )
    table = Table("left out", "policy", "why", title="What was left out", title_justify="left")
    for omission in answer["omissions"]:
        table.add_row(str(omission["count"]), omission["policy"], omission["sentence"])
    console.print(table if answer["omissions"] else "Nothing was left out.", soft_wrap=False)
    console.print(f"assembly {answer['assembly_id']}, policy {answer['policy_version']}", style="dim")
