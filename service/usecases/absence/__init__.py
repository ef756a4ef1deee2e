"""Absence is proven by code of its own: nothing here is used by what erases, and uses nothing of it."""
