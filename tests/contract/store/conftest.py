"""The stores that keep the contract."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from subsessiond.core.indexes import restore
from tests.support.ledger import Ledger, State
from tests.support.memory_store import MemoryStore


class Opener:
    """Opens the same store again and again."""

    def __init__(self, state: State | None) -> None:
        self._state = state
        self._memory = MemoryStore()
        self._ledger: Ledger | None = None

    async def open(self) -> Ledger:
        """Open the store as a new daemon would, closing it first where it is open."""
        if self._ledger is not None:
            await self._ledger.store.aclose()
        if self._state is not None:
            self._ledger, warnings = await self._state.open()
            assert warnings == ()
        else:
            self._ledger = Ledger(self._memory, (await self._memory.load(restore)).tree)
        return self._ledger


@pytest.fixture(params=["sqlite", "memory"])
async def opener(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Opener]:
    """Give one store a test can open more than once."""
    state = State(tmp_path / "state") if request.param == "sqlite" else None
    yield Opener(state)
    if state is not None:
        await state.aclose()
