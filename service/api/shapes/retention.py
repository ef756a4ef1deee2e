"""What retention would do."""

from __future__ import annotations

from datetime import datetime

from service.api.shapes.recording import Answer
from service.model.retention import RetentionClass
from service.model.vocabulary import Label, RetentionAction


class RuleShown(Answer):
    """What becomes of a label's nodes. Without a rule of the tenant's they are kept."""

    label: Label
    retention_class: RetentionClass
    action: RetentionAction
    after_days: int | None
    configured: bool
    """Whether the tenant's configuration says it."""


class RetentionPreview(Answer):
    """What a run at `until` would do, counted by the queries of the run itself."""

    until: datetime
    rules: list[RuleShown]
    done: dict[str, dict[str, int]]
    """By label and action. A payload goes with the last item that it tells of."""
    kept: dict[str, dict[str, int]]
    """What stays although its time is over, by label and cause: `held` by a legal hold, `restricted`, `open`,
    or `referred_to`."""
    purged: dict[str, int]
    """Of the knowledge graph, by the job `purge_knowledge`."""
