"""Gateway of branches as people read them."""

from __future__ import annotations

from service.graph.query import query

open_for_reading = query("branch/open_for_reading")
list_transcript = query("message/list_transcript")
