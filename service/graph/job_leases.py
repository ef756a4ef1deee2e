"""Gateway of job leases: one replica takes a job up for a due time, and the others see that it is taken."""

from __future__ import annotations

from service.graph.query import query

take_lease = query("job_lease/take_lease")
give_back_lease = query("job_lease/give_back_lease")
drop_lease = query("job_lease/drop_lease")
note_progress = query("job_lease/note_progress")
release_lease = query("job_lease/release_lease")
delete_leases = query("job_lease/delete_leases")
list_leases = query("job_lease/list_leases")
fill_log = query("job_lease/fill_log")
delete_filler = query("job_lease/delete_filler")
