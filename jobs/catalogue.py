"""Every job by its name."""

from __future__ import annotations

from typing import Final

from jobs import (
    carry_out_requests,
    carry_out_retention,
    check_invariants,
    check_lineages,
    decay_edges,
    drill_erasure,
    judge_answers,
    learn_answers,
    purge_knowledge,
    sign_tree_heads,
    sweep_idempotency_records,
)
from jobs.job import Job

JOBS: Final[dict[str, Job]] = {
    "carry_out_requests": carry_out_requests,
    "carry_out_retention": carry_out_retention,
    "check_invariants": check_invariants,
    "check_lineages": check_lineages,
    "decay_edges": decay_edges,
    "drill_erasure": drill_erasure,
    "judge_answers": judge_answers,
    "learn_answers": learn_answers,
    "purge_knowledge": purge_knowledge,
    "sign_tree_heads": sign_tree_heads,
    "sweep_idempotency_records": sweep_idempotency_records,
}
