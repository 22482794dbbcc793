"""An agent whose role writes nothing writes nothing, though its model tries; as profiles ship."""

from functools import partial
from typing import Final

import pytest

from tests.support.lifecycle.properties import AGENTS, prompt_mark
from tests.support.lifecycle.stage import stage
from tests.support.rigs import BIN, RIGS
from tests.support.shipped import agents_toml, make_home

FINAL: Final = {"output": "Nothing is written.", "stage": "final", "outcome": "completed"}
ASKED: Final = "Your turn ended"
"""Begins what a child is told whose turn ended without a final, refused or not."""

pytestmark = [
    pytest.mark.skipif(not BIN.exists(), reason="scripts/agents has not run in this clone"),
    pytest.mark.timeout(300),  # as test_lifecycle
]


@pytest.mark.parametrize("name", [name for name in AGENTS if prompt_mark(name)])
async def test_a_reader_writes_nothing(name: str) -> None:
    """No file is there, whether a tool was refused or not even offered, and it reports."""
    rig = RIGS[name]
    if not rig.installed:
        pytest.skip("not for this platform")
    async with stage(partial(agents_toml, name), partial(make_home, name)) as here:
        file = here.daemon.workspace / "out.txt"
        ends = ({"call": "report", "args": FINAL}, {"text": "bye"})
        tries = (rig.write.step(path=str(file), text="hello"), rig.shell.step(line=f"touch {file}"))
        for title, step in zip(("writing", "by its shell"), tries, strict=True):
            node = await here.spawn(title, step, *ends, role="reader", when={ASKED: ends})
            row = await here.until(node, "released")
            assert (row["outcome"], row["author"]) == ("completed", "child")
            assert not file.exists()
        tools = (repr(rig.write.tool), repr(rig.shell.tool))
        assert all(any(tool in fault for tool in tools) for fault in here.stub.faults)
