"""What is served on loopback, and where: the one place that knows both the port and the route."""

from collections.abc import Callable

from subsessiond.model.ids import NodeId
from subsessiond.ports import RunnerFault
from subsessiond.rpc.desk import Registry
from subsessiond.rpc.mcp.streamable import METHODS, PATH, Streamable
from subsessiond.rpc.mcp.toolbox import Toolbox
from subsessiond.rpc.socketfile import SocketFault
from subsessiond.rpc.tcp.listener import Route, TcpListener


def serve_mcp(
    listener: TcpListener,
    toolbox: Toolbox,
    registry: Registry,
    node_of: Callable[[str], NodeId | None],
) -> None:
    """Let the tools be had on loopback too, whenever a port is opened there.

    Args:
        listener: Has the port.
        toolbox: Has the tools.
        registry: Tells which nodes are over.
        node_of: Gives the node of a token.
    """
    served = Streamable(toolbox, node_of, listener.running)
    registry.listen(served.on_events)
    listener.serve({PATH: Route(METHODS, served.answer)})


async def mcp_address(listener: TcpListener) -> str:
    """Give where a child's agent finds our MCP server over HTTP; the port is open from then on.

    Raises:
        RunnerFault: there is no port to be had.
    """
    try:
        return await listener.address(PATH)
    except (SocketFault, OSError) as fault:
        raise RunnerFault(f"no port for its MCP server: {fault}") from fault
