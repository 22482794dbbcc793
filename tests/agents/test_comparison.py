"""The comparison in README is still true of the agents that are pinned."""

import pytest

from tests.support.parents import table, ways
from tests.support.parents.compare import TITLES, title_of
from tests.support.parents.leads import LEADS
from tests.support.rigs import BIN

NEAR = 0.1
"""Ids, paths and figures in what an agent says to its model differ from run to run."""

pytestmark = [
    pytest.mark.skipif(not BIN.exists(), reason="scripts/agents has not run in this clone"),
    pytest.mark.serial,
    pytest.mark.timeout(200),
]


@pytest.mark.parametrize("name", sorted(LEADS))
async def test_its_own_subagents_cost_a_parent_what_was_recorded(name: str) -> None:
    """What chatty ones end with is passed on whole; `scripts/compare --record` records anew."""
    lead = LEADS[name]
    if not lead.installed:
        pytest.skip("not for this platform")
    way, title = "its own subagents", title_of(lead)
    rows = [r for r in table.read()["rows"] if (r["parent"], r["way"]) == (title, TITLES[way])]
    assert rows, f"nothing was recorded of {title}"
    cost = await ways.own(lead, chatty=True)
    assert cost.shown_bytes == pytest.approx(rows[0]["chatty"]["shown_bytes"], rel=NEAR)
    assert cost.lines > 0
