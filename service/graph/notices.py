"""Gateway of notices: who was given people's data, who is to be told what became of it, and who was."""

from __future__ import annotations

from service.graph.query import query

list_beginnings = query("notice/list_beginnings")
list_recipients = query("notice/list_recipients")
list_remembering = query("notice/list_remembering")
create_notices = query("notice/create_notices")
list_notices = query("notice/list_notices")
mark_sent = query("notice/mark_sent")
