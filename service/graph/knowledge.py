"""Gateway of knowledge documents and their passages."""

from __future__ import annotations

from service.graph.query import query

lock_people = query("knowledge_document/lock_people")
open_newest = query("knowledge_document/open_newest")
read_document = query("knowledge_document/read_document")
publish_version = query("knowledge_document/publish_version")
end_version = query("knowledge_document/end_version")
decide_document = query("knowledge_document/decide_document")
list_published = query("knowledge_document/list_published")
list_passages = query("knowledge_passage/list_passages")
