"""Children of a person whose own agent of the same kind has our lines in its settings.

A child is started with a server of ours too, under the same name, and runs the same hook.
"""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import pytest

from tests.support.daemon import Daemon
from tests.support.hire import wait_for
from tests.support.homes import is_private, make_hooked_home, place_for_homes
from tests.support.modelstub import Stub, script
from tests.support.rigs import BIN, RIGS
from tests.support.shipped import agents_toml

CHILDREN: Final = (
    *("claude", "codex", "gemini", "opencode"),
    *("claude-acp", "codex-acp", "gemini-acp", "opencode-acp"),
)
WITHIN_S: Final = 90.0
FINAL: Final = {"output": "42 words.", "stage": "final", "outcome": "completed"}

pytestmark = [
    pytest.mark.skipif(not BIN.exists(), reason="scripts/agents has not run in this clone"),
    pytest.mark.timeout(240),
]


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let daemons have folders that nobody else may write above: gemini looks."""
    place = place_for_homes()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


def install(agent: str, home: Path, state: Path) -> None:
    """Put our lines into a home."""
    done = subprocess.run(
        [sys.executable, "-m", "subsession", "install", agent, "--yes", "--state-dir", str(state)],
        env={"HOME": str(home), "PATH": os.defpath},
        capture_output=True,
        check=False,
        timeout=30,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", CHILDREN)
async def test_a_child_is_itself_beside_its_persons_lines(name: str) -> None:
    """It reports as the child it is and opens no root of its own, and no hook keeps its turn."""
    if not RIGS[name].installed:
        pytest.skip(f"{name} is not installed: scripts/agents")
    if name.startswith("gemini") and not is_private(place_for_homes()):
        pytest.skip("a folder above may be written to by others, and gemini reads no settings then")
    home = Path(tempfile.mkdtemp(prefix="home-"))
    steps = ({"call": RIGS[name].report, "args": FINAL}, {"text": "bye"})
    async with Stub() as stub:
        environ = make_hooked_home(name, stub.url, home)
        daemon = Daemon(config={"agents.toml": agents_toml(name, stub.url)}, environ=environ)
        install(name.partition("-")[0], home, daemon.state)
        try:
            await asyncio.to_thread(daemon.start)
            root = daemon.open()
            order = {"role": "reader", "brief": {"mission": f"Do. {script(*steps)}"}}
            spawn = await asyncio.to_thread(daemon.call, "subsession.spawn", parentId=root, **order)
            child = str(spawn["nodeId"])
            await asyncio.to_thread(wait_for, daemon, child, "released", within_s=WITHIN_S)
            shown = daemon.call("subsession.node", nodeId=child)
            assert shown["envelope"]["output"] == FINAL["output"], (shown, stub.faults)
            assert not stub.faults
            assert not stub.holding("Before you finish")
            assert set(daemon.rows()) == {root, child}
        finally:
            await asyncio.to_thread(daemon.stop)
            daemon.discard()
            shutil.rmtree(home, ignore_errors=True)
