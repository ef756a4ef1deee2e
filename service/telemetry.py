"""What the service says about itself: log lines without content, and numbers for whoever asks at /metrics.

Nothing is sent anywhere. A label is a word of the code (a route's template, a kind, a reason), never one that
came with a request.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Mapping
from typing import Any, Final

import structlog
from prometheus_client import Counter, Gauge, Histogram

REQUEST_BUCKETS_S: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
STAGE_BUCKETS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5)
STAGES: Final = ("graph", "policy", "render")

REQUESTS: Final = Counter(
    "runtime_graph_requests", "Requests that were answered.", ("route", "method", "status")
)
REQUEST_SECONDS: Final = Histogram(
    "runtime_graph_request_seconds",
    "Time from a request to the end of its answer.",
    ("route", "method"),
    buckets=REQUEST_BUCKETS_S,
)
EVENTS: Final = Counter("runtime_graph_events", "Events recorded; repetitions count once.", ("kind",))
WRITES_UNKNOWN: Final = Counter(
    "runtime_graph_writes_unknown", "Requests whose write was answered with an unknown outcome."
)
ASSEMBLIES: Final = Counter("runtime_graph_assemblies", "Contexts assembled.", ("profile", "runtime_kind"))
ASSEMBLY_SECONDS: Final = Histogram(
    "runtime_graph_assembly_seconds",
    "Time that an assembly spent in the graph, in policies and in rendering.",
    ("stage",),
    buckets=STAGE_BUCKETS_S,
)
ASSEMBLED_TOKENS: Final = Counter("runtime_graph_assembled_tokens", "Tokens of the contexts assembled.")
SAVED_TOKENS: Final = Counter(
    "runtime_graph_saved_tokens", "Tokens by which contexts were smaller than their whole transcripts."
)
OMISSIONS: Final = Counter("runtime_graph_omissions", "Items that stayed out of contexts.", ("reason",))
JOB_RUNS: Final = Counter("runtime_graph_job_runs", "Runs of jobs in this process.", ("job", "outcome"))
INVARIANT_OFFENCES: Final = Gauge(
    "runtime_graph_invariant_offences", "Rows that broke a rule when it was last checked.", ("invariant",)
)
WRONG_LINEAGES: Final = Gauge(
    "runtime_graph_wrong_lineages", "Branches whose stored lineage was wrong when it was last checked."
)

_log = structlog.get_logger(__name__)


def count_assembly(record: Mapping[str, Any], omissions: Iterable[Mapping[str, Any]]) -> None:
    """Count one assembly: its record as stored, and its omissions with `reason` and `count`."""
    ASSEMBLIES.labels(record["profile"], record["runtime_kind"]).inc()
    for stage in STAGES:
        ASSEMBLY_SECONDS.labels(stage).observe(record[f"{stage}_ms"] / 1000)
    ASSEMBLED_TOKENS.inc(record["assembled_tokens"])
    SAVED_TOKENS.inc(max(0, record["full_transcript_tokens"] - record["assembled_tokens"]))
    for omission in omissions:
        OMISSIONS.labels(omission["reason"]).inc(omission["count"])


def configure_logging(level: str) -> None:
    """Make this process log JSON lines on stderr, ours from `level` on and those of libraries from warnings.

    `level` is debug, info, warning or error. Lines of ours have an event, its numbers and, within a request,
    the `request_id`.
    """
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
    logging.basicConfig(handlers=[_OfLibraries()], level=logging.WARNING, force=True)


class _OfLibraries(logging.Handler):
    """A library's line by its place and without its words, for these can quote what was sent."""

    def emit(self, record: logging.LogRecord) -> None:
        say = _log.error if record.levelno >= logging.ERROR else _log.warning
        kind = record.exc_info[0] if record.exc_info else None
        say(
            "a library logged",
            library=record.name,
            at=f"{record.filename}:{record.lineno}",
            error=kind.__name__ if kind else None,
        )
