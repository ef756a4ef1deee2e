"""A result that several people have a part in, when one of them is erased."""

from __future__ import annotations

import pytest
from agent_platform import answered, asked, called
from officers import Office
from served import Rows
from test_derived import holding
from three_people import ALL, AT, LINES, MIA_AND_BEN, WORDS, begun, gone, recorded

from service.graph.driver import Graph

MEMORY = """
MATCH (n:ToolMemory {tenant_id: $t})
RETURN n.headline AS headline, n.records AS records, n.parameters AS parameters
"""
LARGE = {"more": "x" * 20_500}


@pytest.mark.parametrize("large", [False, True])
async def test_it_stays_without_the_call_that_was_the_persons_alone(
    office: Office, graph: Graph, rows: Rows, large: bool
) -> None:
    await begun(office)
    await recorded(
        office,
        called("c1", {"for": WORDS["mia"]}, subject_ids=["u-mia"]),
        answered("c1", {"of": WORDS["ben"], **(LARGE if large else {})}, **MIA_AND_BEN),
        *(asked(f"k{number}", WORDS["kim"], "kim", subject_ids=["u-kim"]) for number in range(3)),
    )
    await office.platform.compacted("fold", at=AT)
    assert await holding(office, rows, WORDS["mia"]) == ["Payload", "SummaryLine", "ToolCall", "ToolMemory"]

    await gone(office, rows, graph, "mia")

    assert "ToolMemory" in await holding(office, rows, WORDS["ben"])
    [memory] = await rows(MEMORY, t=office.platform.tenant_id)
    assert (memory["headline"].partition(")")[0], memory["parameters"]) == ("look_up(", [])
    assert any("look_up()" in row["text"] for row in await rows(LINES, t=office.platform.tenant_id))


async def test_names_that_stand_as_keys_are_taken_out_of_it(office: Office, graph: Graph, rows: Rows) -> None:
    await begun(office)
    await recorded(
        office,
        called("c1", {"u-mia": 1, "u-ben": WORDS["ben"]}, **ALL),
        answered("c1", {"u-mia": [{"u-mia": 3, "u-ben": 4}], "u-ben": WORDS["ben"]}, **ALL),
        asked("k1", WORDS["kim"], "kim", subject_ids=["u-kim"]),
    )
    assert {"ToolCall", "ToolMemory"} <= set(await holding(office, rows, "u-mia"))

    await gone(office, rows, graph, "mia", "ben")

    assert await holding(office, rows, "u-mia") == []
    [memory] = await rows(MEMORY, t=office.platform.tenant_id)
    assert sorted(memory["parameters"]) == ["[redacted]", "u-ben"]
