"""Who is at the other end, and how the person hears that something waits."""

from socket import socket
from typing import Protocol

from subsessiond.model.peer import Peer
from subsessiond.model.process import Identity


class Notifier(Protocol):
    """Shows a person something outside of any terminal."""

    async def notify(self, title: str, text: str) -> str:
        """Show one notice, within seconds; says what kept it from being shown, and never raises."""


class Peers(Protocol):
    """Who sits at the other end of a unix socket."""

    def look(self, sock: socket) -> Peer:
        """Describe the process that connected this socket; never raises for what it cannot see."""

    def runs(self, identity: Identity) -> bool:
        """Tell whether a process that was seen before still runs."""
