"""The journals that keep the contract."""

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
