"""Gateway of what people ask for by right: the requests, and how far they are."""

from __future__ import annotations

from service.graph.query import query

create_request = query("privacy_request/create_request")
find_request = query("privacy_request/find_request")
read_request = query("privacy_request/read_request")
list_requests = query("privacy_request/list_requests")
list_approved = query("privacy_request/list_approved")
update_request = query("privacy_request/update_request")
take_up = query("privacy_request/take_up")
lock_requests = query("privacy_request/lock_requests")
list_standing = query("privacy_request/list_standing")
list_exports = query("privacy_request/list_exports")
list_old_exports = query("privacy_request/list_old_exports")
note_done = query("privacy_request/note_done")
count_erased = query("privacy_request/count_erased")
