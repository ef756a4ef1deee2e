"""Whether a turn may go on as planned: hard caps on steps, tool calls and output tokens."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from service.model.policy_settings import TurnCaps


@dataclass(frozen=True, slots=True)
class TurnAmounts:
    """What is capped of a turn: planned, or used so far. `output_tokens` are those that runs were recorded
    with."""

    steps: int = 0
    tool_calls: int = 0
    output_tokens: int = 0


def capped(caps: TurnCaps) -> dict[str, int | None]:
    """The caps by the name of what they cap; None: no cap."""
    return {
        "steps": caps.steps_max,
        "tool_calls": caps.tool_calls_max,
        "output_tokens": caps.output_tokens_max,
    }


def remaining(caps: TurnCaps, used: TurnAmounts) -> dict[str, int | None]:
    """What is left of each; None where nothing caps it."""
    spent = asdict(used)
    return {name: None if most is None else max(0, most - spent[name]) for name, most in capped(caps).items()}


def exceeded(caps: TurnCaps, used: TurnAmounts, planned: TurnAmounts) -> tuple[str, ...]:
    """What there would be too much of, with what is planned; empty where the turn may go on."""
    spent, wanted = asdict(used), asdict(planned)
    return tuple(
        name for name, most in capped(caps).items() if most is not None and spent[name] + wanted[name] > most
    )
