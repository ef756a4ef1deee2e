"""Gateway of tenants and their API keys."""

from __future__ import annotations

from service.graph.query import query

create_tenant = query("tenant/create_tenant")
read_active_version = query("tenant/read_active_version")
find_tenant = query("tenant/find_tenant")
create_api_key = query("api_key/create_api_key")
find_api_key = query("api_key/find_api_key")
revoke_api_key = query("api_key/revoke_api_key")
