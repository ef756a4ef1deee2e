"""`runtime-graph retention`: what tenants' rules end, seen before and carried out."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import typer

from jobs.carry_out_retention import carry_out_retention
from jobs.job import Deps, Report
from service.cli.console import EXIT_FAILED, console, exit_unless, read_settings
from service.cli.graph import chosen_tenants, with_graph
from service.cli.requests import KeyOption, UrlOption, call, service_url
from service.clock import SystemClock
from service.graph.driver import Graph
from service.graph.migrations import migrate
from service.usecases.erasure.custody import custody_of

app = typer.Typer(help="What becomes of data whose time is over.", no_args_is_help=True)


def register(main: typer.Typer) -> None:
    """Add the group to the console script."""
    main.add_typer(app, name="retention")


@app.command()
def preview(
    until: Annotated[datetime | None, typer.Option(help="As of when, UTC.", show_default="in 7 days")] = None,
    url: UrlOption = None,
    key: KeyOption = None,
) -> None:
    """Show what would go this week by the rules of the key's tenant, and what stays although it is old.

    For example: runtime-graph retention preview --until 2027-01-31
    """
    if not key:
        raise typer.BadParameter("an API key is needed: --key or RUNTIME_GRAPH_KEY")
    query = f"?until={until.isoformat()}Z" if until else ""
    seen = call("GET", f"{service_url(url)}/v1/retention/preview{query}", key)
    for rule in seen["rules"]:
        after = f" after {rule['after_days']} days" if rule["after_days"] else ""
        says = f"{rule['action']}{after}" if rule["configured"] else "no rule, kept"
        console.print(f"{rule['label']} ({rule['retention_class']}): {says}")
    console.print(f"Until {seen['until']}:")
    _show(seen)
    for name, count in seen["purged"].items():
        console.print(f"  {name}: purge {count}")


@app.command()
def run(
    tenant: Annotated[str | None, typer.Option(help="Name of the only tenant.", show_default="all")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Change nothing; say what it would do.")] = False,
) -> None:
    """Carry the rules out now, as the job `carry_out_retention` does; may be run again. Exit code 1 where a
    tenant's could not be."""
    settings = read_settings()

    async def work(graph: Graph) -> Report:
        await migrate(graph, SystemClock())
        chosen = await chosen_tenants(graph, tenant)
        if tenant is not None and not chosen:
            raise SystemExit(EXIT_FAILED)
        deps = Deps(graph, SystemClock(), settings)
        return await carry_out_retention(deps, custody_of(settings), chosen, dry_run)

    report = with_graph(settings, work)
    for tenant_id, outcome in report["tenants"].items():
        console.print(f"Tenant {tenant_id}:")
        _show(outcome)
    for tenant_id, code in report["failed_tenants"].items():
        console.print(f"Tenant {tenant_id}: failed, {code}")
    if not report["tenants"] and report["sound"]:
        console.print("Nothing is due.")
    exit_unless(report["sound"])


def _show(outcome: dict[str, Any]) -> None:
    if outcome.get("running_elsewhere"):
        console.print("  another process runs it")
    for label, counts in outcome.get("done", {}).items():
        console.print(f"  {label}: {', '.join(f'{action} {count}' for action, count in counts.items())}")
    for label, counts in outcome.get("kept", {}).items():
        console.print(f"  {label} stays: {', '.join(f'{cause} {count}' for cause, count in counts.items())}")
