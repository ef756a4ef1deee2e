"""Gateway of rectification: the events that are wrong, what they made, and what was made of that."""

from __future__ import annotations

from service.graph.query import query

find_events = query("rectification/find_events")
list_items = query("rectification/list_items")
list_calls = query("rectification/list_calls")
list_lines = query("rectification/list_lines")
list_versions = query("rectification/list_versions")
list_resting = query("rectification/list_resting")
find_learned = query("rectification/find_learned")
leave_queries = query("rectification/leave_queries")
queue_answers = query("rectification/queue_answers")
list_blob_uses = query("rectification/list_blob_uses")
