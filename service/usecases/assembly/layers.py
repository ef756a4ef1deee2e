"""The layers of a context beside talk and tools: each is read, judged and weighed in a way of its own, and
enters as notes.
"""

from __future__ import annotations

from service.model.candidates import Focus, Note
from service.policies import insights, knowledge
from service.usecases.assembly.gates import Gates
from service.usecases.assembly.known import known_notes
from service.usecases.assembly.request import Asked, Candidates


def notes(asked: Asked, candidates: Candidates, gates: Gates, focus: Focus) -> list[Note]:
    """What may enter of every layer, best first within its section; what may not is noted by `gates`."""
    return [
        *insights.weighed(gates.insights(candidates.insights), focus),
        *knowledge.weighed(gates.passages(candidates.passages)),
        *known_notes(gates.user_memories(candidates.user_memories), candidates.scope, focus),
    ]
