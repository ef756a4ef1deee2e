"""Every job by its name."""

from __future__ import annotations

from typing import Final

from jobs import (
    check_invariants,
    check_lineages,
    decay_edges,
    judge_answers,
    learn_answers,
    purge_knowledge,
    sign_tree_heads,
    sweep_idempotency_records,
)
from jobs.job import Job

JOBS: Final[dict[str, Job]] = {
    "check_invariants": check_invariants,
    "check_lineages": check_lineages,
    "decay_edges": decay_edges,
    "judge_answers": judge_answers,
    "learn_answers": learn_answers,
    "purge_knowledge": purge_knowledge,
    "sign_tree_heads": sign_tree_heads,
    "sweep_idempotency_records": sweep_idempotency_records,
}
