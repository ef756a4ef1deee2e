"""A larger budget never loses an item: what a budget selects is within what one token more selects."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from service.errors import BudgetTooSmall
from service.model.vocabulary import Section
from service.policies.packing import PROFILES, Item, Packing, Queue, Required, pack

QUEUED = (Section.TOOL_MEMORIES, Section.RECALLED_MESSAGES, Section.RECENT_WINDOW)
BUDGETS = range(0, 1500, 7)
STEP_TOKENS = 1


@st.composite
def queues(draw: st.DrawFn) -> list[Queue]:
    """Sections with ranked items; memories have several records each, and one uid may stand in two queues."""
    made: list[Queue] = []
    for number, section in enumerate(QUEUED):
        sizes = draw(st.lists(st.integers(1, 200) | st.integers(380, 700), max_size=8))
        items = [
            Item(
                section,
                uid=f"{draw(st.integers(0, 1)) * number}-{at // 2}",
                tokens=tokens,
                record=at % 2 if section is Section.TOOL_MEMORIES else None,
                head_tokens=draw(st.integers(0, 30)) if section is Section.TOOL_MEMORIES else 0,
                worth=draw(st.floats(0, 2)),
            )
            for at, tokens in enumerate(sizes)
        ]
        opens = {"fence": draw(st.integers(0, 20)), section.value: draw(st.integers(0, 9))}
        unbroken = section is Section.RECENT_WINDOW
        made.append(Queue(section, draw(st.floats(0.1, 8)), items, opens, draw(st.booleans()), unbroken))
    return made


@st.composite
def required(draw: st.DrawFn) -> Required:
    """A fixed part and unseen results, small and very large."""
    unseen = draw(st.lists(st.integers(1, 5000), max_size=3))
    return Required(draw(st.integers(0, 300)), tuple((f"call-{at}", t) for at, t in enumerate(unseen)))


@given(required=required(), queues=queues(), profile=st.sampled_from(sorted(PROFILES)))
def test_one_token_more_keeps_every_item(required: Required, queues: list[Queue], profile: str) -> None:
    for budget in BUDGETS:
        smaller = packed(required, queues, budget, profile)
        larger = packed(required, queues, budget + STEP_TOKENS, profile)
        if smaller is None:
            continue
        assert larger is not None
        assert names(smaller) <= names(larger)
        assert all(larger.granted[uid] >= tokens for uid, tokens in smaller.granted.items())
        assert smaller.tokens <= budget


def packed(required: Required, queues: list[Queue], budget: int, profile: str) -> Packing | None:
    """The packing, or None where the budget is too small."""
    try:
        return pack(required, queues, budget, PROFILES[profile])
    except BudgetTooSmall:
        return None


def names(packing: Packing) -> set[tuple[str, int | None]]:
    """What was selected."""
    return {(item.uid, item.record) for item in packing.items}
