"""Gateway of continuation checkpoints."""

from __future__ import annotations

from service.graph.query import query

read_saved = query("continuation_checkpoint/read_saved")
