"""What the operator accepted of workspaces: which bytes may be a role, under which name."""

import sqlite3
from collections.abc import Callable
from typing import Final

from subsessiond.adapters.store.lane import Lane
from subsessiond.adapters.store.opened import OpenStore
from subsessiond.model.projectrole import AcceptedRole

_ACCEPT: Final = "INSERT OR IGNORE INTO roles_accepted VALUES (?, ?, ?, ?)"
_OF: Final = "SELECT name, digest FROM roles_accepted WHERE workspace = ? ORDER BY name, digest"


class StoredAcceptances:
    """The acceptances of one store.

    Args:
        lane: where its work is done.
        opened: gives the store, or raises what keeps it from being used.
    """

    def __init__(self, lane: Lane, opened: Callable[[], OpenStore]) -> None:
        self._lane = lane
        self._opened = opened

    async def accept(self, role: AcceptedRole, at_ms: int) -> None:
        """Keep one, durably; again is no harm.

        Raises:
            StoreFault: it is not kept.
        """
        row = (role.workspace, role.name, role.digest, at_ms)
        await self._lane.run(lambda: self._accept(row))

    async def of(self, workspace: str) -> tuple[AcceptedRole, ...]:
        """Give those of a workspace.

        Raises:
            StoreFault: they cannot be read.
        """
        return await self._lane.run(lambda: self._of(workspace))

    def _accept(self, row: tuple[str, str, str, int]) -> None:
        with self._opened().transaction("accepting a role") as db:
            db.execute(_ACCEPT, row)

    def _of(self, workspace: str) -> tuple[AcceptedRole, ...]:
        store = self._opened()
        try:
            rows = store.db.execute(_OF, (workspace,)).fetchall()
        except sqlite3.Error as fault:
            raise store.reading("reading accepted roles", fault) from fault
        return tuple(
            AcceptedRole(workspace=workspace, name=name, digest=digest) for name, digest in rows
        )
