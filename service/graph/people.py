"""Gateway of people: who is the same one, hidden, restricted or ended, and the digests of erased ids."""

from __future__ import annotations

from service.graph.query import query

hide_people = query("tenant/hide_people")
show_people = query("tenant/show_people")
list_erasures = query("tenant/list_erasures")
restrict_users = query("user/restrict_users")
lock_users = query("user/lock_users")
find_users = query("user/find_users")
name_user = query("user/name_user")
merge_users = query("user/merge_users")
split_users = query("user/split_users")
list_same = query("user/list_same")
list_statements = query("user/list_statements")
end_users = query("user/end_users")
await_batches = query("branch/await_batches")
list_erased = query("erased_id/list_erased")
note_erased = query("erased_id/note_erased")
