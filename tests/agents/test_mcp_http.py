"""Agents that take MCP servers as programs take ours by its address as well, whatever version of
the protocol each speaks over HTTP.
"""

import asyncio
from functools import partial
from typing import Any

import pytest

from tests.support.closing import check_closing, descriptors
from tests.support.lifecycle.stage import stage
from tests.support.rigs import BIN, RIGS, Speaks
from tests.support.shipped import agents_toml, make_home

pytestmark = [
    pytest.mark.skipif(not BIN.exists(), reason="scripts/agents has not run in this clone"),
    # Why so long: each wait inside is bounded by 120 s, and a busy machine may need some of that.
    pytest.mark.timeout(300),
    pytest.mark.xdist_group("agents"),
]
OTHERS = ("pi-acp", "copilot-acp")
"""The one takes no server with its session, the other takes none but by its address."""
HALF = {"call": "report", "args": {"stage": "progress", "output": "Half."}}
DONE = {
    "call": "report",
    "args": {"stage": "final", "outcome": "completed", "output": "Done."},
}


@pytest.mark.parametrize(
    "name",
    [rig.name for rig in RIGS.values() if rig.speaks is Speaks.ACP and rig.name not in OTHERS],
)
async def test_an_agent_reports_over_http(name: str) -> None:
    """It lists our tools before its first turn and reports by them; no program of ours runs."""
    if not RIGS[name].installed:
        pytest.skip("not for this platform")
    by_http = partial(agents_toml, name, mcp_by="http")
    async with stage(by_http, partial(make_home, name)) as here:
        opened = descriptors(here.daemon)
        node = await here.spawn("mark", HALF, {**DONE, "wait": "up"}, {"text": "bye"})
        await here.held("up")
        await here.read_mail(1)
        assert here.shim_kib() is None
        offered = here.asked("mark")[0].offered
        assert any(tool.endswith("subsession_checkpoint") for tool in offered)
        here.stub.release("up")
        row: dict[str, Any] = await here.until(node, "released")
        assert (row["outcome"], row["reason"]) == ("completed", "final-report")
        await here.read_mail(2)
        said = [message["text"].splitlines()[1] for message in here.mail]
        assert said == ["Half.", "Done."]
        assert not here.stub.faults
        await asyncio.to_thread(check_closing, here.daemon, descriptors_before=opened)
