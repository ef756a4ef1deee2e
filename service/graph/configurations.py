"""Gateway of tenant configurations."""

from __future__ import annotations

from service.graph.query import query

create_configuration = query("configuration/create_configuration")
activate_configuration = query("configuration/activate_configuration")
read_configuration = query("configuration/read_configuration")
list_configurations = query("configuration/list_configurations")
