"""Which answers a person should look at, and what is likely wrong with them: rules, in a stated order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from service.model.confidence import Confidence
from service.model.vocabulary import Factor, FailureClass, Feedback
from service.policies.confidence import heaviest_loss

OF_FACTOR = {
    Factor.RETRIEVAL: FailureClass.RETRIEVAL_MISS,
    Factor.POLICY: FailureClass.POLICY_BLOCK,
    Factor.COMPLETENESS: FailureClass.INCOMPLETE_CONTEXT,
    Factor.MEMORY: FailureClass.STALE_MEMORY,
}


@dataclass(frozen=True, slots=True)
class Failure:
    """What is likely wrong, and why that is thought."""

    failure_class: FailureClass
    why: str


def classify(
    found: Confidence,
    threshold: float,
    feedback: Feedback | None,
    told_as_future: Sequence[date],
    now: datetime,
) -> Failure | None:
    """The failure of an answer that should be looked at; None where it need not be.

    In this order: somebody said that it is wrong; it tells as still to come a day that was over at `now`
    (aware UTC); its confidence is below the threshold, by the factor that costs it most. The first two count
    whatever the confidence is: no factor can see them.
    """
    if feedback is Feedback.NEGATIVE:
        return Failure(FailureClass.NEGATIVE_FEEDBACK, "Somebody said that the answer is wrong.")
    over = [day for day in told_as_future if day < now.date()]
    if over:
        why = f"It tells {min(over):%Y-%m-%d} as still to come, and was judged on {now:%Y-%m-%d}."
        return Failure(FailureClass.HALLUCINATION_SIGNAL, why)
    worst = heaviest_loss(found)
    if found.composite is None or found.composite >= threshold or worst is None:
        return None
    told = next(part.explanation for part in found.parts if part.factor is worst)
    below = f"Its confidence {found.composite:.2f} is below {threshold:.2f}"
    return Failure(OF_FACTOR[worst], f"{below}, mostly for this: {told}")
