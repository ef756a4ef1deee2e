"""On random conversations the service lets in exactly what the naive reference model lets in.

A step is one event recorded or one context assembled. CONTRIBUTING.md says how to run the slow lane.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

import pytest
from comparing import UNLIMITED_TOKENS, Ask, Twins
from conversations import SEATS, Choice, choices, settled
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from served import Rows
from wired_tenant import Tenants

from service.model.configuration import ProviderRoute
from service.model.vocabulary import RuntimeKind
from service.policies.packing import PROFILES

SLOW = os.environ.get("RUNTIME_GRAPH_SLOW") == "1"
STEPS_MIN, ITEMS_MIN = (15_000, 1_000_000) if SLOW else (3_000, 50_000)
CONVERSATIONS, ASKS = (115 if SLOW else 24), 100
LONG_CONVERSATIONS, LONG_EVENTS = (9 if SLOW else 1), 1_000
pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr")  # of a failing example
LONG_ASKS, LONG_ASKS_MAX = 60, 1_500
"""Contexts asked for at a time, and at most, until a long conversation has given its part of ITEMS_MIN."""
MODES = (*RuntimeKind, RuntimeKind.CONTINUATION, RuntimeKind.MULTI_MODEL)

routes = st.lists(
    st.builds(
        ProviderRoute,
        zero_data_retention=st.booleans(),
        trains_on_data=st.booleans(),
        local=st.booleans(),
    ),
    min_size=1,
    max_size=3,
)
asks = st.lists(
    st.builds(
        Ask,
        st.integers(0, 7),
        st.integers(0, len(SEATS) - 1),
        st.integers(0, 2),
        st.sampled_from(MODES),
        st.sampled_from((False, False, False, True)),
        st.sampled_from((*(UNLIMITED_TOKENS,) * 5, 200, 600, 1_500)),
        st.sampled_from(sorted(PROFILES)),
    ),
    min_size=ASKS,
    max_size=ASKS,
)


@pytest.fixture
def counted() -> Iterator[Counter[str]]:
    """What a test compared, in all its examples; printed at its end."""
    counter: Counter[str] = Counter()
    yield counter
    print(f"\ndifferential: {dict(counter)}")  # noqa: T201
    assert counter["outside"] == 0


@pytest.fixture
def many_steps(counted: Counter[str]) -> Iterator[Counter[str]]:
    """The same, of enough steps to mean something."""
    yield counted
    assert counted["steps"] >= STEPS_MIN


@pytest.fixture
def many_items(counted: Counter[str]) -> Iterator[Counter[str]]:
    """The same, of enough items of contexts to mean something."""
    yield counted
    assert counted["items"] >= ITEMS_MIN


def lane(examples: int) -> settings:
    """How a property runs here: without shrinking, which takes many minutes against a database."""
    return settings(
        max_examples=examples,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


@lane(LONG_CONVERSATIONS)
@given(seed=st.integers(0, 2**32))
async def test_nothing_outside_lineage_visibility_and_privacy_enters_a_long_conversation(
    seed: int, tenants: Tenants, rows: Rows, many_items: Counter[str]
) -> None:
    chance = random.Random(seed)
    twins = Twins(await tenants.new(), counted=many_items)
    await twins.record(settled(chance, LONG_EVENTS), branches_max=4)
    await twins.name(rows)
    local = ProviderRoute(local=True)
    silent = ProviderRoute(trains_on_data=False)
    forgetful = ProviderRoute(trains_on_data=False, zero_data_retention=True)
    routes_drawn = [*(local, silent, forgetful) * 3, ProviderRoute()]
    await twins.configure(routes_drawn)
    enough = many_items["items"] + ITEMS_MIN // LONG_CONVERSATIONS + 1
    for _ in range(LONG_ASKS_MAX // LONG_ASKS):
        if many_items["items"] >= enough:
            break
        await twins.compare_all([asked_by(chance, len(routes_drawn)) for _ in range(LONG_ASKS)])


def asked_by(chance: random.Random, providers: int) -> Ask:
    """Anybody's request for all there is."""
    mode = chance.choice(list(RuntimeKind))
    return Ask(chance.randrange(4), chance.randrange(len(SEATS)), chance.randrange(providers), mode)


@lane(CONVERSATIONS)
@given(drawn=choices, first=routes, second=routes, asked=asks, later_min=st.sampled_from((0, 20, 60)))
async def test_the_service_lets_in_what_the_specification_lets_in(
    drawn: list[Choice],
    first: list[ProviderRoute],
    second: list[ProviderRoute],
    asked: list[Ask],
    later_min: int,
    tenants: Tenants,
    rows: Rows,
    many_steps: Counter[str],
) -> None:
    twins = Twins(await tenants.new(), counted=many_steps)
    await twins.record(drawn)
    await twins.name(rows)
    twins.tenant.clock.advance(timedelta(minutes=later_min))
    for configured, persona, some in ((first, None, asked[::2]), (second, "Be brief.", asked[1::2])):
        await twins.configure(configured, persona)
        await twins.compare_all(some)
