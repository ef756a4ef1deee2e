"""`runtime-graph costs`: what contexts and runs cost, by tenant, agent or conversation."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import urlencode

import typer
from rich.table import Table

from service.cli.console import console
from service.cli.requests import KeyOption, UrlOption, call, service_url
from service.usecases.report_costs import GroupBy


def register(main: typer.Typer) -> None:
    """Add the command to the console script."""
    main.command()(costs)


def costs(
    group_by: Annotated[GroupBy, typer.Option(help="What to sum by.")] = GroupBy.TENANT,
    since: Annotated[
        datetime | None, typer.Option(help="From when on, UTC.", show_default="30 days before --until")
    ] = None,
    until: Annotated[datetime | None, typer.Option(help="Until when, UTC.", show_default="now")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print every group as a line of JSON.")] = False,
    url: UrlOption = None,
    key: KeyOption = None,
) -> None:
    """Sum what contexts cost beside whole transcripts, and the tokens and money that model runs used."""
    if not key:
        raise typer.BadParameter("an API key is needed: --key or RUNTIME_GRAPH_KEY")
    times = {"since": since, "until": until}
    query = {"group_by": group_by.value, **{n: f"{t.isoformat()}Z" for n, t in times.items() if t}}
    table = Table("", "contexts", "tokens", "whole transcripts", "prefix", "runs", "read", "written", "cost")
    while True:
        page = call("GET", f"{service_url(url)}/v1/costs?{urlencode(query)}", key)
        for group in page["groups"]:
            if as_json:
                console.print(json.dumps(group))
            else:
                table.add_row(*_cells(group, page["currency"]))
        if page["next_cursor"] is None:
            break
        query |= {"cursor": page["next_cursor"], "since": page["since"]}
    if not as_json:
        console.print(table, soft_wrap=False)


def _cells(group: dict[str, Any], currency: str | None) -> list[str]:
    counts = [
        *("assemblies", "assembled_tokens", "full_transcript_tokens", "prefix_tokens"),
        *("runs", "input_tokens", "output_tokens"),
    ]
    cost = "" if group["cost"] is None else f"{group['cost']:,.4f} {currency or ''}".strip()
    if group["unpriced_runs"] and cost:
        cost += f" (without {group['unpriced_runs']:,} runs)"
    return [group["name"], *(f"{group[name]:,}" for name in counts), cost]
