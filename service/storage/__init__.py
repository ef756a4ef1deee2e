"""Bytes outside the graph. Beside `graph` and `text`; imports `model` at most."""
