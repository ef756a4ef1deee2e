"""What retention does, or would do, as numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from service.model.vocabulary import Label, RetentionAction
from service.policies.retention import Cause

Counts = dict[str, dict[str, int]]
KEPT_CAUSES = (Cause.HELD, Cause.RESTRICTED, Cause.OPEN, Cause.REFERRED_TO)
"""Why something stays whose time is over."""


@dataclass(slots=True)
class Tally:
    """`done` by label and action, `kept` by label and cause."""

    done: Counter[tuple[str, str]] = field(default_factory=Counter)
    kept: Counter[tuple[str, str]] = field(default_factory=Counter)

    def act(self, label: Label, action: RetentionAction, number: int = 1) -> None:
        """Something is done."""
        self.done[label.value, action.value] += number

    def keep(self, label: Label, cause: Cause) -> None:
        """Something stays, if its time is over."""
        if cause in KEPT_CAUSES:
            self.kept[label.value, cause.value] += 1

    def told(self) -> dict[str, Counts]:
        """As it is answered and stored."""
        return {"done": _nested(self.done), "kept": _nested(self.kept)}

    @classmethod
    def of(cls, told: dict[str, Any]) -> Tally:
        """What a run that died has done."""
        flat = {(a, b): n for a, of in told.get("done", {}).items() for b, n in of.items()}
        return cls(Counter(flat))

    def flat(self) -> dict[str, int]:
        """What was done, as the ledger counts it: `Message.delete`."""
        return {f"{label}.{action}": n for (label, action), n in sorted(self.done.items()) if n}


def _nested(counts: Counter[tuple[str, str]]) -> Counts:
    nested: Counts = {}
    for (one, other), number in sorted(counts.items()):
        if number:
            nested.setdefault(one, {})[other] = number
    return nested
