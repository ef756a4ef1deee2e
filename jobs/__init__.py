"""Maintenance by a schedule, once among all replicas: one module per job, listed in `jobs/catalogue.py`."""
