"""`runtime-graph privacy …`: what people ask for by right, from request to receipt; holds; replays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from service.cli.console import EXIT_USAGE, console, exit_unless, problems, read_settings
from service.cli.graph import with_graph
from service.cli.privacy import app
from service.cli.requests import KeyOption, UrlOption, answered, call, part, service_url
from service.clock import SystemClock
from service.errors import RuntimeGraphError
from service.graph.driver import Graph
from service.graph.migrations import migrate
from service.model.privacy import DenialReason, ExtensionReason, Fate, PrivacyRequestKind
from service.private_files import write_private
from service.usecases.drill_erasure import DrillReport, drill_erasure
from service.usecases.erasure.custody import custody_of
from service.usecases.erasure.equip import equipped

RequestArgument = Annotated[str, typer.Argument(help="The request's id, as it was made with.")]
UserArgument = Annotated[str, typer.Argument(help="The user's id, as the platform has it.")]
HoldArgument = Annotated[str, typer.Argument(help="The hold's id, as it was made with.")]
PATH = "/v1/privacy-requests"
USERS_PATH = "/v1/users"
NOTICES_PATH = "/v1/privacy-notices"
NOTICES_PER_PAGE = 500
KEY_NEEDED = "an API key is needed: --key or RUNTIME_GRAPH_KEY"


def register(main: typer.Typer) -> None:
    """The commands are in the group `privacy`, which service.cli.privacy adds."""


@app.command()
def request(
    request_id: RequestArgument,
    user: Annotated[str, typer.Option(help="The person's id.")],
    kind: Annotated[PrivacyRequestKind, typer.Option(help="What is asked for.")] = PrivacyRequestKind.ERASURE,
    name: Annotated[
        list[str] | None, typer.Option(help="What the person is called in texts, beside what is known.")
    ] = None,
    corrections: Annotated[
        Path | None,
        typer.Option(help="Of a rectification: a JSON file, a list of events and their right words."),
    ] = None,
    received: Annotated[
        datetime | None, typer.Option(help="When it was received, UTC.", show_default="now")
    ] = None,
    url: UrlOption = None,
    key: KeyOption = None,
) -> None:
    """Record what a person asks for. A restriction holds at once; the rest waits for a second person.

    For example: runtime-graph privacy request r-17 --user mia --kind erasure --name "Mia Li"
    """
    body: dict[str, Any] = {
        "request_id": request_id,
        "request_kind": kind.value,
        "user_id": user,
        "names": name or [],
    }
    if corrections is not None:
        body["corrections"] = _read_list(corrections)
    if received is not None:
        body["received_at"] = f"{received.isoformat()}Z"
    _show(_call("POST", PATH, url, key, body))


@app.command("list")
def list_(
    overdue: Annotated[bool, typer.Option("--overdue", help="Those whose deadline has passed.")] = False,
    url: UrlOption = None,
    key: KeyOption = None,
) -> None:
    """List requests, soonest due first."""
    cursor = ""
    while True:
        page = _call("GET", f"{PATH}?overdue={str(overdue).lower()}{cursor}", url, key)
        for row in page["requests"]:
            late = "OVERDUE " if row["overdue"] else ""
            console.print(
                f"{late}{row['due_at'][:10]} {row['request_id']}: {row['request_kind']}, {row['state']}"
            )
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"


@app.command()
def show(
    request_id: RequestArgument,
    receipt: Annotated[Path | None, typer.Option(help="Write the signed receipt to this file.")] = None,
    url: UrlOption = None,
    key: KeyOption = None,
) -> None:
    """Show where a request stands: its plan before, its receipt after."""
    row = _call("GET", f"{PATH}/{part(request_id)}", url, key)
    _show(row)
    if receipt is not None:
        if row["receipt"] is None:
            problems.print("There is no receipt yet.")
            raise typer.Exit(1)
        text = json.dumps(row["receipt"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        receipt.write_text(text + "\n", "utf-8")


@app.command()
def review(request_id: RequestArgument, url: UrlOption = None, key: KeyOption = None) -> None:
    """Show what the plan of an erasure lists to look at: what events of others say, and seats of unknown
    speakers."""
    cursor = ""
    while True:
        page = _call("GET", f"{PATH}/{part(request_id)}/review{cursor}", url, key)
        for one in page["events"]:
            at = f"{one['conversation_id']}, {one['branch_id']}, seq {one['seq']}"
            console.print(f"{one['event_uid']} {one['listed_as']}: {at}", style="bold")
            console.print(json.dumps(one["body"], ensure_ascii=False), markup=False)
        if page["next_cursor"] is None:
            break
        cursor = f"?cursor={page['next_cursor']}"
    for one in page["unknown_speakers"]:
        console.print(f"unknown speaker: {one['participant_id']} in {one['conversation_id']}", markup=False)


@app.command()
def export(
    request_id: RequestArgument,
    output: Annotated[Path, typer.Option(help="Archive to write; it must not exist.")],
    url: UrlOption = None,
    key: KeyOption = None,
) -> None:
    """Fetch the export of an approved access or portability request."""
    if not key:
        raise typer.BadParameter(KEY_NEEDED)
    answer = answered("GET", f"{service_url(url)}{PATH}/{part(request_id)}/export", key)
    try:
        write_private(output, answer.content)
    except FileExistsError:
        problems.print(f"{output} exists already.")
        raise typer.Exit(EXIT_USAGE) from None
    console.print(f"{len(answer.content)} bytes in {output}")


@app.command()
def preview(
    request_id: RequestArgument,
    decide: Annotated[
        list[str] | None,
        typer.Option(
            help="uid=erase or uid=redact, for an event listed for review. Give all of them each time.",
        ),
    ] = None,
    url: UrlOption = None,
    key: KeyOption = None,
) -> None:
    """Work out what an erasure or a rectification would do. Destroys nothing; the plan replaces the one
    before, with its decisions."""
    decisions = dict(_decided(one) for one in decide or ())
    shown: dict[str, Any] = {"plan": None}
    while shown["plan"] is None:  # it takes longer than a request may and goes on: wait for it again
        shown = _call("POST", f"{PATH}/{part(request_id)}/preview", url, key, {"decisions": decisions})
    _show(shown)


@app.command()
def approve(
    request_id: RequestArgument,
    plan_digest: Annotated[
        str | None,
        typer.Option(help="The digest that the preview printed; an erasure and a rectification need it."),
    ] = None,
    url: UrlOption = None,
    key: KeyOption = None,
) -> None:
    """Approve a request, as a second person with another key. It is carried out from now on."""
    _show(_call("POST", f"{PATH}/{part(request_id)}/approve", url, key, {"plan_digest": plan_digest}))


@app.command()
def cancel(request_id: RequestArgument, url: UrlOption = None, key: KeyOption = None) -> None:
    """Take a request back, while nothing was destroyed for it."""
    _show(_call("POST", f"{PATH}/{part(request_id)}/cancel", url, key))


@app.command()
def deny(
    request_id: RequestArgument,
    reason: Annotated[DenialReason, typer.Option(help="What the person is told.")],
    url: UrlOption = None,
    key: KeyOption = None,
) -> None:
    """Say that a request is not carried out, and why."""
    _show(_call("POST", f"{PATH}/{part(request_id)}/deny", url, key, {"reason": reason.value}))


@app.command()
def extend(
    request_id: RequestArgument,
    reason: Annotated[ExtensionReason, typer.Option(help="What the person is told.")],
    url: UrlOption = None,
    key: KeyOption = None,
) -> None:
    """Take two more months, once, before the deadline."""
    _show(_call("POST", f"{PATH}/{part(request_id)}/extend", url, key, {"reason": reason.value}))


@app.command()
def lift(request_id: RequestArgument, url: UrlOption = None, key: KeyOption = None) -> None:
    """End a restriction."""
    _show(_call("POST", f"{PATH}/{part(request_id)}/lift", url, key))


@app.command()
def hold(
    hold_id: HoldArgument,
    user: Annotated[str, typer.Option(help="The person's id.")],
    basis: Annotated[str, typer.Option(help="The legal basis; no name of a person.")],
    expires: Annotated[datetime, typer.Option(help="When it ends by itself, UTC.")],
    url: UrlOption = None,
    key: KeyOption = None,
) -> None:
    """Set a legal hold on a person."""
    body = {"hold_id": hold_id, "user_id": user, "basis": basis, "expires_at": f"{expires.isoformat()}Z"}
    _show(_call("POST", "/v1/legal-holds", url, key, body))


@app.command()
def holds(url: UrlOption = None, key: KeyOption = None) -> None:
    """List legal holds, oldest first."""
    for row in _call("GET", "/v1/legal-holds", url, key)["holds"]:
        sealed = "were sealed" if row["ended_at"] else "sealed"
        until = f"ended {row['ended_at'][:10]}" if row["ended_at"] else f"until {row['expires_at'][:10]}"
        console.print(f"{row['hold_id']}: {row['basis']}, {until}, {row['item_count']} events {sealed}")


@app.command("end-hold")
def end_hold(hold_id: HoldArgument, url: UrlOption = None, key: KeyOption = None) -> None:
    """End a legal hold: what an erasure had sealed for it is destroyed."""
    _show(_call("POST", f"/v1/legal-holds/{part(hold_id)}/end", url, key))


@app.command()
def user(
    user_id: UserArgument,
    alias: Annotated[
        list[str] | None,
        typer.Option(help="What the person is called in texts, in place of what was said before."),
    ] = None,
    url: UrlOption = None,
    key: KeyOption = None,
) -> None:
    """Show what a user is called and who is the same person; or say what it is called.

    For example: runtime-graph privacy user mia --alias "Mia Li" --alias Mizzi
    """
    path = f"{USERS_PATH}/{part(user_id)}"
    _show(_call("PUT", path, url, key, {"aliases": alias}) if alias else _call("GET", path, url, key))


@app.command("same-person")
def same_person(
    user_id: UserArgument,
    other_id: Annotated[str, typer.Argument(help="The other id.")],
    undo: Annotated[bool, typer.Option("--undo", help="Say so no longer.")] = False,
    url: UrlOption = None,
    key: KeyOption = None,
) -> None:
    """Say that two users are one person: what is asked for by right then means both."""
    path = f"{USERS_PATH}/{part(user_id)}/same-as/{part(other_id)}"
    _show(_call("DELETE" if undo else "PUT", path, url, key))


@app.command()
def notices(
    sent: Annotated[bool, typer.Option("--sent", help="Those who were told, too.")] = False,
    url: UrlOption = None,
    key: KeyOption = None,
) -> None:
    """List who is still to be told what became of a person's data, oldest first."""
    states = "" if sent else "&state=open"
    cursor = ""
    while True:
        page = _call("GET", f"{NOTICES_PATH}?limit={NOTICES_PER_PAGE}{states}{cursor}", url, key)
        for row in page["notices"]:
            told = f"sent {row['sent_at'][:10]} {row['reference'] or ''}" if row["sent_at"] else "open"
            console.print(f"{row['notice_id']} {row['recipient']}: {row['what']} {row['request_id']}, {told}")
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"


@app.command("notice-sent")
def notice_sent(
    notice_id: Annotated[str, typer.Argument(help="The notice's id, as `privacy notices` lists it.")],
    reference: Annotated[
        str | None, typer.Option(help="Where you file it, such as a ticket; no name of a person.")
    ] = None,
    at: Annotated[datetime | None, typer.Option(help="When it was sent, UTC.", show_default="now")] = None,
    url: UrlOption = None,
    key: KeyOption = None,
) -> None:
    """Note that you have told a recipient. The service sends nothing itself."""
    body: dict[str, Any] = {"reference": reference}
    if at is not None:
        body["sent_at"] = f"{at.isoformat()}Z"
    _show(_call("POST", f"{NOTICES_PATH}/{part(notice_id)}/sent", url, key, body))


@app.command()
def replay() -> None:
    """Carry out again what the ledger says, in a database that was restored from an older copy.

    Until then the service refuses everything. It may be interrupted and run again.
    """
    settings = read_settings()

    async def work(graph: Graph) -> int:
        await migrate(graph, SystemClock(), progress=problems.print)
        return await equipped(graph, custody_of(settings), SystemClock(), settings.server_secret()).replay()

    try:
        count = with_graph(settings, work)
    except RuntimeGraphError as error:
        problems.print(error.detail)
        raise typer.Exit(1) from None
    console.print(
        f"{count} entries of the ledger were carried out again" if count else "nothing to carry out"
    )


@app.command()
def drill(
    output: Annotated[Path | None, typer.Option(help="Write the result as JSON to this file.")] = None,
) -> None:
    """Erase a made-up person full of canaries in a tenant of its own, and say whether the proof works.

    Before the erasure the scan must find every canary, after it none. Exit code 1 where it is otherwise.
    """
    settings = read_settings()

    async def work(graph: Graph) -> DrillReport:
        await migrate(graph, SystemClock(), progress=problems.print)
        return await drill_erasure(graph, custody_of(settings), SystemClock(), settings.server_secret())

    report = with_graph(settings, work)
    for line in report.lines():
        console.print(line)
    if output is not None:
        output.write_text(report.stored() + "\n", "utf-8")
    exit_unless(report.sound)


def _call(
    method: str, path: str, url: str | None, key: str | None, body: dict[str, Any] | None = None
) -> Any:
    if not key:
        raise typer.BadParameter(KEY_NEEDED)
    return call(method, f"{service_url(url)}{path}", key, body)


def _read_list(path: Path) -> list[Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        raise typer.BadParameter(f"{path} cannot be read as JSON") from None
    if not isinstance(found, list):
        raise typer.BadParameter(f"{path} must hold a list")
    return found


def _decided(text: str) -> tuple[str, str]:
    uid, _, fate = text.partition("=")
    if fate not in (Fate.ERASE, Fate.REDACT):
        raise typer.BadParameter("--decide is uid=erase or uid=redact")
    return uid, fate


def _show(row: Mapping[str, Any]) -> None:
    console.print_json(json.dumps({name: value for name, value in row.items() if value is not None}))
