"""The `claude` runner: makes children for Claude Code."""

from subsessiond.adapters.runners.agentprocess import Host
from subsessiond.adapters.runners.claude.child import ClaudeChild
from subsessiond.ports import ChildOrder, RunnerFault, Voice


class ClaudeRunner:
    """Runs Claude Code by the protocol of its JSON mode.

    Args:
        host: what the daemon gives to agents.
    """

    def __init__(self, host: Host) -> None:
        self._host = host

    def start(self, order: ChildOrder, voice: Voice) -> ClaudeChild:
        """Make a child ready; nothing is started before its `run`.

        Raises:
            RunnerFault: its profile has no command line.
        """
        if not order.profile.command:
            raise RunnerFault(f"agent {order.profile.name} has no command line")
        return ClaudeChild(self._host, order, voice)
