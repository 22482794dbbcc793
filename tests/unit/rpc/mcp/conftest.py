"""A bench with a registry, for each test of a session."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from tests.support.desk import Bench, a_bench
from tests.support.policies import a_policy


@pytest_asyncio.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    """Serve a registry on a folder of its own, with limits that stay out of the way."""
    policy = a_policy(spawn_burst=1_000, live_per_parent=100, live_per_tree=200, live_total=200)
    async with a_bench(tmp_path, policy) as opened:
        yield opened
