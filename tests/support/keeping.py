"""Stores that a test of the ledger watches while they keep counts."""

import asyncio
from collections.abc import Callable

from subsessiond.model.ledger import Account
from tests.support.memory_store import MemoryStore


class Noticed(MemoryStore):
    """Tells when counts were kept."""

    def __init__(self) -> None:
        super().__init__()
        self.kept, self.tried = asyncio.Event(), asyncio.Event()
        self.tries = 0

    async def keep_accounts(self, counts: tuple[Account, ...], *, last: bool = False) -> None:
        """Keep counts, or fail to."""
        self.tries += 1
        self.tried.set()
        await super().keep_accounts(counts, last=last)
        self.kept.set()


class Late(MemoryStore):
    """Takes its time to keep counts, and something happens meanwhile, once."""

    meanwhile: Callable[[], None] | None = None

    async def keep_accounts(self, counts: tuple[Account, ...], *, last: bool = False) -> None:
        """Keep counts."""
        await super().keep_accounts(counts, last=last)
        if self.meanwhile is not None:
            then, self.meanwhile = self.meanwhile, None
            then()
