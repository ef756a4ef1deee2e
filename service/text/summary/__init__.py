"""Summaries by rule: what was said and found becomes lines, and lines become fewer.

Extractive: every word of a line was said, nothing is inferred, and the same items give the same lines.
"""

from __future__ import annotations

from service.text.summary.folding import folded
from service.text.summary.lines import closed, drafted, line_text

STRUCTURED = "structured"
"""The name of this summariser."""

__all__ = ["STRUCTURED", "closed", "drafted", "folded", "line_text"]
