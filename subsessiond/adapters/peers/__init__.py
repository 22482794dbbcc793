"""Who sits at the other end of a unix socket: read from the kernel, never from the caller.

linux     SO_PEERCRED, SO_PEERPIDFD and /proc       plain     where there is no /proc (macOS)
proc      what /proc tells of one process           bridge    the agent above an MCP bridge

Which node a process belongs to is decided elsewhere; nothing here knows a tree.
"""

import sys

from subsessiond.adapters.peers.linux import LinuxPeers
from subsessiond.adapters.peers.plain import PlainPeers

__all__ = ["LinuxPeers", "PlainPeers", "system_peers"]


def system_peers(*, bridges_alone: bool = False) -> LinuxPeers | PlainPeers:
    """Choose what this system can do.

    Args:
        bridges_alone: Whether an MCP bridge stands for itself, and not for the agent above it.
    """
    return LinuxPeers(bridges_alone=bridges_alone) if sys.platform == "linux" else PlainPeers()
