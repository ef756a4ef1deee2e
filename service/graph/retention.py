"""Gateway of retention: what is due, what refers to it, and what becomes of it.

What finds has a parameter `lock`: without it the same query only looks, so that a preview is the run itself
but for what it writes.
"""

from __future__ import annotations

from service.graph.query import query

list_branches = query("retention/list_branches")
find_assemblies = query("retention/find_assemblies")
find_items = query("retention/find_items")
find_payloads = query("retention/find_payloads")
find_events = query("retention/find_events")
list_checkpoints = query("retention/list_checkpoints")
delete_items = query("retention/delete_items")
destroy_payloads = query("retention/destroy_payloads")
count_namers = query("retention/count_namers")
