"""Sessions over HTTP, where a client has one: so that it can take back what it asked for earlier.

Nothing else hangs on them. Who asks is known by each request's token, and a client that names none
is served as well.
"""

import secrets
from collections.abc import Callable
from typing import Final, NamedTuple

from subsessiond.model.ids import NodeId
from subsessiond.rpc.mcp.session import Session

MOST: Final = 16
"""Sessions of one node: its agent has one or two, and one that begins anew for ever has these."""


class _Held(NamedTuple):
    node_id: NodeId
    session: Session


class Sessions:
    """Sessions by their ids.

    Args:
        make: Makes one.
    """

    def __init__(self, make: Callable[[], Session]) -> None:
        self._make = make
        self._held: dict[str, _Held] = {}

    def __len__(self) -> int:
        """Count them."""
        return len(self._held)

    def begin(self, node_id: NodeId) -> tuple[str, Session]:
        """Begin one for a node; its oldest goes where it has as many as it may."""
        own = [name for name, held in self._held.items() if held.node_id == node_id]
        if len(own) >= MOST:
            self._drop(own[0])
        name, session = secrets.token_urlsafe(24), self._make()
        self._held[name] = _Held(node_id, session)
        return name, session

    def alone(self) -> Session:
        """Make one for a request that belongs to none."""
        return self._make()

    def find(self, name: str, node_id: NodeId) -> Session | None:
        """Give the session of a name; none where there is none, or it is another node's."""
        held = self._held.get(name)
        return held.session if held is not None and held.node_id == node_id else None

    def end(self, name: str, node_id: NodeId) -> bool:
        """End a session and what it has under way; tells whether there was one."""
        if self.find(name, node_id) is None:
            return False
        self._drop(name)
        return True

    def forget(self, node_id: NodeId) -> None:
        """End every session of a node that is over."""
        for name in [name for name, held in self._held.items() if held.node_id == node_id]:
            self._drop(name)

    def _drop(self, name: str) -> None:
        self._held.pop(name).session.end()
