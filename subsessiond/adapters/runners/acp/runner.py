"""The `acp` runner: makes children for ACP agents."""

from subsessiond.adapters.runners.acp.child import AcpChild
from subsessiond.adapters.runners.agentprocess import Host
from subsessiond.ports import ChildOrder, RunnerFault, Voice


class AcpRunner:
    """Runs any agent that speaks the Agent Client Protocol.

    Args:
        host: what the daemon gives to agents.
    """

    def __init__(self, host: Host) -> None:
        self._host = host

    def start(self, order: ChildOrder, voice: Voice) -> AcpChild:
        """Make a child ready; nothing is started before its `run`.

        Raises:
            RunnerFault: its profile has no command line.
        """
        if not order.profile.command:
            raise RunnerFault(f"agent {order.profile.name} has no command line")
        return AcpChild(self._host, order, voice)
