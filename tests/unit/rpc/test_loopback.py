import pytest

from subsessiond.ports import RunnerFault
from subsessiond.rpc.loopback import mcp_address
from subsessiond.rpc.tcp.listener import TcpListener
from tests.support.answers import quiet_log


async def test_a_child_that_can_have_no_port_is_told_why() -> None:
    """A fault of its start, in words for its parent; nothing else is harmed."""
    listener = TcpListener(None, quiet_log())
    assert (await mcp_address(listener)).endswith(f":{listener.port}/mcp")
    await listener.stop(0)
    with pytest.raises(RunnerFault, match="no port for its MCP server: the daemon stops"):
        await mcp_address(listener)
