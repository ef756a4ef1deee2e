"""Gateway of legal holds."""

from __future__ import annotations

from service.graph.query import query

create_hold = query("legal_hold/create_hold")
list_holds = query("legal_hold/list_holds")
list_expired = query("legal_hold/list_expired")
update_hold = query("legal_hold/update_hold")
