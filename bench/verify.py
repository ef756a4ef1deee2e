"""How long it takes to verify a log: the lines of an export in memory, parsed and checked by all cores.

The events are made with the functions that seal real ones; nothing goes through HTTP or a database.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Iterator
from typing import Annotated, Any, Final

import typer

from bench.harness import console
from service.ids import new_branch_ref, new_uid
from service.log.exports import count_lines, header, line, verify_lines
from service.log.stretches import BranchLog, Plan, check_stretch
from service.log.tree_heads import Signer, TreeHead
from service.log.verification import ROWS_PER_STRETCH
from service.model.chain import SALT_BYTES, Envelope, canonical, commitment, genesis

Row = dict[str, Any]
HEAD_EVENTS: Final = 1_000
WORDS: Final = "The flight leaves at 09:40 from gate B7 and lands at 12:05; seat 12A is confirmed. " * 4


def verify(
    events: Annotated[int, typer.Option(min=1, help="How many events the log has.")] = 1_000_000,
    as_json: Annotated[bool, typer.Option("--json", help="Print the line of JSON alone.")] = False,
) -> None:
    """Verify a log of one branch with payloads and a signed tree head for every 1,000 events.

    `seconds` is the time beyond `reading_seconds`, which parsing the same lines alone takes; `cpu_seconds` is
    the same on the processor's clock, over all cores. Exit code 1 when the log is not found sound.
    """
    signer = Signer.of(secrets.token_bytes(32))
    data, heads = made_export(events, signer)
    keys = {signer.key_id: signer.key.public_key()}
    began, began_cpu = time.perf_counter(), cpu_seconds()
    count_lines(data)
    read, read_cpu = time.perf_counter(), cpu_seconds()
    verdict, _ = verify_lines(data, heads, keys)
    reading_seconds, total_seconds = read - began, time.perf_counter() - read
    seconds = total_seconds - reading_seconds
    worked = cpu_seconds() - read_cpu - (read_cpu - began_cpu)
    result = {
        "bench": "verify",
        "events": verdict.events,
        "seconds": round(seconds, 2),
        "per_second": round(verdict.events / seconds),
        "reading_seconds": round(reading_seconds, 2),
        "total_seconds": round(total_seconds, 2),
        "tree_heads": verdict.tree_heads,
        "cpu_seconds": round(worked, 2),
        "cores": os.cpu_count(),
        "sound": verdict.first is None,
    }
    if not as_json:
        console.print(
            f"{verdict.events:,} events and {verdict.tree_heads:,} signed tree heads in {seconds:.2f} s: "
            f"{verdict.events / seconds:,.0f} events per second; reading {len(data) / 2**20:,.0f} MiB took "
            f"{reading_seconds:.2f} s more"
        )
    print(json.dumps(result))
    if verdict.first is not None or verdict.events != events:
        raise typer.Exit(1)


def cpu_seconds() -> float:
    """Time that the processor has spent on this process and those that it started and that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def made_export(count: int, signer: Signer) -> tuple[bytearray, list[TreeHead]]:
    """The lines of an export of one branch, and its signed tree heads."""
    tenant_id, branch_uid, branch_ref = new_uid(), new_uid(), new_branch_ref()
    place = {"tenant_id": tenant_id, "branch_uid": branch_uid, "branch_ref": branch_ref}
    plan = Plan(tenant_id, branch_uid, 0, tuple(sorted({*range(HEAD_EVENTS, count + 1, HEAD_EVENTS), count})))
    tree = BranchLog(plan)
    data = bytearray()
    rows: list[Row] = []
    for row in made_events(count, place):
        data += line("event", row)
        rows.append(row)
        if len(rows) == ROWS_PER_STRETCH or row["seq"] == count:
            tree.add(check_stretch(plan, rows))
            rows = []
    heads = [signed_head(tree, seq, place, signer) for seq in plan.marks]
    branch = place | {"lineage": [], "cutoffs": [], "base": 0, "head": count, "parents": []}
    opening = [
        header(tenant_id, payloads=True, public_keys=signer.public_pem()),
        line("branch", branch | {"head_hash": tree.hash}),
        *(line("tree_head", head.row()) for head in heads),
    ]
    data[0:0] = b"".join(opening)
    return data, heads


def made_events(count: int, place: Row) -> Iterator[Row]:
    """Sealed events of one branch, as rows of an export."""
    tenant_id, branch_uid = place["tenant_id"], place["branch_uid"]
    actor_uid, subject_uid = new_uid(), new_uid()
    previous = genesis(tenant_id, branch_uid)
    for seq in range(1, count + 1):
        message = {"kind": "message", "message_id": f"m{seq}", "parts": [{"type": "text", "content": WORDS}]}
        body, salt, event_uid = canonical(message), secrets.token_bytes(SALT_BYTES), new_uid()
        envelope = Envelope(
            tenant_id=tenant_id,
            branch_uid=branch_uid,
            seq=seq,
            event_uid=event_uid,
            kind="message",
            at="2026-03-01T12:00:00.000000Z",
            actor_uid=actor_uid,
            subject_uids=(subject_uid,),
            payload_commitment=commitment(salt, body),
            previous_hash=previous,
        )
        row: Row = {name: getattr(envelope, name) for name in Envelope.__slots__ if name != "event_uid"}
        previous = envelope.hash()
        payload = {"event_uid": event_uid, "tenant_id": tenant_id, "salt": salt.hex(), "body": body}
        yield row | {
            "uid": event_uid,
            "branch_ref": place["branch_ref"],
            "subject_uids": [subject_uid],
            "hash": previous,
            "payload": payload,
        }


def signed_head(tree: BranchLog, seq: int, place: Row, signer: Signer) -> TreeHead:
    """A signed tree head of a branch without a parent."""
    head = TreeHead(
        **place,
        parent_branch_uid=None,
        base=0,
        seq=seq,
        root_hash=tree.roots[seq],
        head_hash=tree.hashes[seq],
        at="2026-03-01T12:00:00.000000Z",
        peaks=tree.peaks[seq],
    )
    return signer.signed(head)
