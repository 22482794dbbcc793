"""Each public agent is led through one whole life, by the profile that ships."""

import asyncio
import os
import stat
import tempfile
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from tests.support.closing import check_closing, descriptors
from tests.support.lifecycle import results
from tests.support.lifecycle.course import live
from tests.support.lifecycle.properties import AGENTS, PROPERTIES, expected
from tests.support.lifecycle.stage import TEMPORARY, stage
from tests.support.rigs import BIN, RIGS
from tests.support.shipped import agents_toml, make_home

SLOW: Final = ("opencode", "opencode-acp", "codex", "codex-acp", "codex-acp-zed")
"""What takes about as long as all the others: each half of them runs on a core of its own."""

pytestmark = [
    pytest.mark.skipif(not BIN.exists(), reason="scripts/agents has not run in this clone"),
    # Why so long: each wait inside is bounded by 120 s, and a busy machine may need some of that.
    pytest.mark.timeout(400),
]


def is_private(folder: Path) -> bool:
    """Tell whether nobody else may write to a folder or above it."""
    above = (folder, *folder.parents)
    return not any(p.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH) for p in above)


@pytest.fixture(autouse=True)
def _folder(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the daemon a folder that nobody else may write above, where its agent looks for that.

    Why not all: a clone may lie deep, and a socket's path has to be short.
    """
    if request.node.callspec.params["name"] == "gemini":
        TEMPORARY.mkdir(mode=0o700, exist_ok=True)
        monkeypatch.setattr(tempfile, "tempdir", str(TEMPORARY))


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.xdist_group("agents" + "-slow" * (name in SLOW)))
        for name in AGENTS
    ],
)
async def test_a_life(name: str) -> None:
    """Everything that the table says of an agent is found, and what it does not say is not."""
    if not RIGS[name].installed:
        pytest.skip("not for this platform")
    if name == "gemini" and not is_private(TEMPORARY):
        pytest.skip("a folder above may be written to by others, and gemini reads no settings then")
    async with stage(partial(agents_toml, name), partial(make_home, name)) as here:
        opened = descriptors(here.daemon)
        course = await live(here, RIGS[name])
        await asyncio.to_thread(check_closing, here.daemon, descriptors_before=opened)
    assert course.seen == {each: expected(name, each) for each in PROPERTIES}
    if os.environ.get(results.RECORD):
        results.write(name, course.seen, course.figures)
    recorded = results.read(name)["properties"]
    assert recorded == {each: results.cell(name, each, course.seen[each]) for each in PROPERTIES}
