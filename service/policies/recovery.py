"""Which failed calls a retry still needs: those marked so, until the retry has worked."""

from __future__ import annotations

from collections.abc import Sequence

from service.model.candidates import MemoryCandidate
from service.model.vocabulary import CallStatus
from service.policies.ranking import terms


def still_needed(memories: Sequence[MemoryCandidate]) -> tuple[MemoryCandidate, ...]:
    """Among memories that may enter, failed retry-critical ones that no later call has made good.

    A later call makes it good when the same participant's same tool was executed with all that the failed
    call named, and perhaps more (a token, a corrected field beside).
    """
    critical = [m for m in memories if m.retry_critical and m.status is CallStatus.FAILED]
    executed = [m for m in memories if m.status is CallStatus.EXECUTED]
    return tuple(m for m in critical if not any(_made_good(m, later) for later in executed))


def _made_good(failed: MemoryCandidate, later: MemoryCandidate) -> bool:
    return (
        later.place > failed.place
        and later.tool_name == failed.tool_name
        and later.governance.participant_uid == failed.governance.participant_uid
        and terms(failed.headline.partition(") failed")[0]) <= terms(later.headline)
    )
