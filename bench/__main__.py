"""`python -m bench`: one command per benchmark."""

from __future__ import annotations

import typer

from bench.argument_recall import argument_recall
from bench.erasure import erasure
from bench.foreign import foreign
from bench.latency import latency
from bench.recall import recall
from bench.reduction import reduction
from bench.verify import verify

main = typer.Typer(
    help="Measure the service, most of it over HTTP, on a Neo4j of its own in a temporary folder.\n\n"
    "Each benchmark prints a table and ends with one line of JSON; with --json it prints that line alone.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
main.command("argument_recall")(argument_recall)
main.command("erasure")(erasure)
main.command("foreign")(foreign)
main.command("latency")(latency)
main.command("recall")(recall)
main.command("reduction")(reduction)
main.command("verify")(verify)

if __name__ == "__main__":
    main()
