"""Retention: what a tenant's rules end, as a preview and as a run; both by the same queries and decisions."""
