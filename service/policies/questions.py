"""Whether a request asks a question, so that knowledge is looked for: by its own flag, else by rule."""

from __future__ import annotations

import re

_MARK = re.compile("[?\uff1f\u00bf\u061f]")
_BOUNDARY = re.compile(r"[.!:\n]")
_ASKING = re.compile(
    r"""\W*(?:please\s+|bitte\s+)?(?:
    (?:who|whom|whose|what|when|where|why|which|how)\b
    | (?:wer|wen|wem|wessen|was|wann|wo|wohin|woher|warum|wieso|weshalb|welche[nrms]?|wie|womit|wofür)\b
    | (?:tell\sme|explain|describe|i\s(?:want|need|would\slike)\sto\sknow|erklär)
    | (?:is|are|was|were|does|did|can|could|may|should|will)\s
      (?:i|you|we|he|she|it|they|there|this|that|the|my|your|our)\b
    | do\s(?:i|you|we|they)\b
    | (?:ist|sind|kann|können|darf|dürfen|soll|muss|gibt|hat|haben)\s
      (?:ich|du|sie|wir|man|er|es|der|die|das)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)


def is_question(text: str, flag: bool | None = None) -> bool:
    """The request's own flag first. Else whether the text has a question mark, or one of its sentences begins
    as a question does, in English or German."""
    if flag is not None:
        return flag
    return bool(_MARK.search(text)) or any(map(_ASKING.match, _BOUNDARY.split(text)))
