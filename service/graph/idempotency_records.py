"""Gateway of idempotency records as a whole; recording reads and writes its own with its batch."""

from __future__ import annotations

from service.graph.query import query

count_old = query("idempotency_record/count_old")
delete_old = query("idempotency_record/delete_old")
