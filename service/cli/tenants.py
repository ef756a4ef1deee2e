"""`runtime-graph tenant`: what becomes of a tenant, for the operator."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from service.cli.console import console, exit_unless, problems, read_settings
from service.cli.graph import with_graph
from service.clock import SystemClock
from service.graph.driver import Graph
from service.graph.migrations import migrate
from service.settings import Settings
from service.usecases.erasure.custody import custody_of
from service.usecases.erasure.equip import equipped
from service.usecases.offboard_tenant import OffboardingPlan, OffboardTenant

app = typer.Typer(help="What becomes of a tenant.", no_args_is_help=True)


def register(main: typer.Typer) -> None:
    """Add the group to the console script."""
    main.add_typer(app, name="tenant")


@app.callback()
def group() -> None:
    """What becomes of a tenant."""


@app.command()
def offboard(
    name: Annotated[str, typer.Argument(help="The tenant's name.")],
    digest: Annotated[
        str | None, typer.Option(help="Digest of the plan: destroys everything.", show_default="only plan")
    ] = None,
    receipt: Annotated[Path | None, typer.Option(help="Write the signed receipt to this file.")] = None,
) -> None:
    """Let a tenant leave: without --digest show what would be destroyed, with it destroy that for good.

    Stop what the tenant sends first. A run that was interrupted is gone on with by the service, by the job
    `carry_out_requests`, or by `runtime-graph tenant resume`.
    """
    settings = read_settings()
    if digest is None:
        _show(with_graph(settings, partial(_plan, settings, name)))
        return
    text = with_graph(settings, partial(_offboard, settings, name, digest))
    if text is None:
        problems.print("Another process carries it out: it goes on there.")
    elif receipt is not None:
        receipt.write_text(text, "utf-8")
    else:
        console.print(text.strip())
    exit_unless(text is not None)


@app.command()
def resume() -> None:
    """Go on with tenants that began to leave."""
    settings = read_settings()

    async def work(graph: Graph) -> int:
        return await _use_case(settings, graph).go_on()

    console.print(f"{with_graph(settings, work)} tenants have left.")


async def _plan(settings: Settings, name: str, graph: Graph) -> OffboardingPlan:
    await migrate(graph, SystemClock())
    return await _use_case(settings, graph).plan(name)


async def _offboard(settings: Settings, name: str, digest: str, graph: Graph) -> str | None:
    await migrate(graph, SystemClock())
    use_case = _use_case(settings, graph)
    begun = await use_case.begin(name, digest)
    await use_case.carry_out(begun)
    return use_case.receipt(begun.request_uid)


def _use_case(settings: Settings, graph: Graph) -> OffboardTenant:
    return equipped(graph, custody_of(settings), SystemClock(), settings.server_secret()).offboarding


def _show(plan: OffboardingPlan) -> None:
    console.print(f"Tenant {plan.tenant_id}:")
    for label, count in plan.nodes.items():
        console.print(f"  {label}: {count}")
    console.print(f"  edges: {sum(plan.edges.values())}")
    console.print(f"  blobs: {plan.blobs}, {plan.blob_bytes} bytes; data keys: {plan.data_keys}")
    if plan.holds:
        console.print(f"  {plan.holds} legal holds are in force: it cannot leave before they end")
    console.print(f"To destroy this: --digest {plan.digest()}")
