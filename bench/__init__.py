"""Benchmarks: each starts the database and the service it needs, measures, and stops them."""
