"""Gateway of erasures: who a person is, where data of the person stands, and its destruction.

What erases has a parameter `erase`: without it the same query only says what would go, so that a preview is
the erasure itself but for its last line.
"""

from __future__ import annotations

from service.graph.query import query

find_people = query("erasure/find_people")
list_conversations = query("erasure/list_conversations")
find_knowledge = query("erasure/find_knowledge")
list_owned = query("erasure/list_owned")
erase_items = query("erasure/erase_items")
erase_payloads = query("erasure/erase_payloads")
erase_nodes = query("erasure/erase_nodes")
erase_traces = query("erasure/erase_traces")
erase_names = query("erasure/erase_names")
erase_person = query("erasure/erase_person")
list_texts = query("erasure/list_texts")
list_held = query("erasure/list_held")
list_answers = query("erasure/list_answers")
erase_answers = query("erasure/erase_answers")
list_mixed_events = query("erasure/list_mixed_events")
list_other_events = query("erasure/list_other_events")
list_mentions = query("erasure/list_mentions")
list_mixed_items = query("erasure/list_mixed_items")
list_mixed_lines = query("erasure/list_mixed_lines")
list_lines = query("erasure/list_lines")
list_bare_results = query("erasure/list_bare_results")
list_told = query("erasure/list_told")
list_notes = query("erasure/list_notes")
show_events = query("erasure/show_events")
show_seats = query("erasure/show_seats")
read_shared = query("erasure/read_shared")
update_nodes = query("erasure/update_nodes")
leave_shared = query("erasure/leave_shared")
digest_shared = query("erasure/digest_shared")
