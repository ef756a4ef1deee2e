"""Benchmarks: each starts the database and the service it needs, measures over HTTP, and stops them."""
