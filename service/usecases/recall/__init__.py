"""Older talk, kept ready in this process so that it can be searched."""
