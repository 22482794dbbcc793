"""What is harmed."""

import os
import random
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.journal_bench import Bench


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    """Give journals in a fresh workspace."""
    (tmp_path / "w").mkdir()
    made = Bench(tmp_path / "w")
    yield made
    await made.journals.aclose()


@pytest.fixture
def dice() -> random.Random:
    """Chance; the seed is shown when a test fails, and given back by KILL_SEED."""
    seed = int(os.environ.get("KILL_SEED") or random.SystemRandom().randrange(1 << 32))
    sys.stdout.write(f"KILL_SEED={seed}\n")
    return random.Random(seed)
