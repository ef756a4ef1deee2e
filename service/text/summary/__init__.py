"""Summaries by rule: what was said and found becomes lines, and lines become fewer.

Extractive: every word of a line was said, nothing is inferred, and the same items give the same lines.
"""

from __future__ import annotations

from service.text.summary.folding import folded, retold
from service.text.summary.lines import LINE_CHARS_MAX, closed, drafted, line_text, shortened

STRUCTURED = "structured"
"""The name of this summariser."""

__all__ = ["LINE_CHARS_MAX", "STRUCTURED", "closed", "drafted", "folded", "line_text", "retold", "shortened"]
