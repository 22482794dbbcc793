"""Peers where there is no /proc: the number of the process and no more, and that is said."""

import socket
import struct
from typing import Final

from subsessiond.model.peer import Peer
from subsessiond.model.process import Identity

SOL_LOCAL: Final = 0
LOCAL_PEERPID: Final = 2
"""macOS, from sys/un.h."""

UNKNOWN: Final = "the system does not tell which process it is"


class PlainPeers:
    """Looks at peers where there is no /proc (macOS): the number of the process and no more."""

    missing: tuple[str, ...] = (
        "ancestors of a caller are not known here: only its token tells that it is a child",
        "terminals of callers are not known here: granting needs operator.headless",
    )

    def runs(self, _: Identity) -> bool:
        """Tell of every process that it may run: none is told from a later one of its number."""
        return True

    def look(self, sock: socket.socket) -> Peer:
        """Describe the process that connected this socket, as far as the system tells."""
        try:
            (pid,) = struct.unpack("i", sock.getsockopt(SOL_LOCAL, LOCAL_PEERPID, 4))
        except OSError:
            return Peer(pid=0, problem=UNKNOWN)
        return Peer(pid=pid)
