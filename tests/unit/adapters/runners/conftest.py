"""A stage for runners, and the real processes that command lines need."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from subsessiond.adapters.processes import LinuxProcesses
from tests.support.stage import Stage, stage


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Stage]:
    """A root that has no caps in the way."""
    async with stage(tmp_path, spawn_burst=100, live_per_parent=None) as made:
        yield made


@pytest.fixture
async def processes() -> AsyncIterator[LinuxProcesses]:
    """The weakest container there is: what is tested here is the runner."""
    made = LinuxProcesses(container="descent", term_grace_ms=10_000)
    yield made
    await made.aclose()
