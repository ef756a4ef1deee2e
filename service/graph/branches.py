"""Gateway of branches as people read them."""

from __future__ import annotations

from service.graph.query import query

find_branch = query("branch/find_branch")
open_for_reading = query("branch/open_for_reading")
count_kinds = query("event/count_kinds")
find_event = query("event/find_event")
list_transcript = query("message/list_transcript")
list_versions = query("working_memory/list_versions")
