"""Who sits at the other end of a unix socket: read from the kernel, never from the caller.

linux     SO_PEERCRED, SO_PEERPIDFD and /proc       plain     where there is no /proc (macOS)
proc      what /proc tells of one process           bridge    the agent above an MCP bridge

Which node a process belongs to is decided elsewhere; nothing here knows a tree.
"""

import sys

from subsessiond.adapters.peers.linux import LinuxPeers
from subsessiond.adapters.peers.plain import PlainPeers

__all__ = ["LinuxPeers", "PlainPeers", "system_peers"]


def system_peers() -> LinuxPeers | PlainPeers:
    """Choose what this system can do."""
    return LinuxPeers() if sys.platform == "linux" else PlainPeers()
