"""Gateway of people who are hidden, restricted or ended, and of the digests of erased ids."""

from __future__ import annotations

from service.graph.query import query

hide_people = query("tenant/hide_people")
show_people = query("tenant/show_people")
list_erasures = query("tenant/list_erasures")
restrict_users = query("user/restrict_users")
end_users = query("user/end_users")
await_batches = query("branch/await_batches")
list_erased = query("erased_id/list_erased")
note_erased = query("erased_id/note_erased")
