"""Gateway of claims and what they rest on."""

from __future__ import annotations

from service.graph.query import query

list_claims = query("claim/list_claims")
list_sources = query("claim/list_sources")
