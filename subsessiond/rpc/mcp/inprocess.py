"""The tools for children whose agent runs in this daemon: the same calls, without a pipe."""

from typing import Any

from subsessiond.model.commands import Caller
from subsessiond.model.ids import NodeId
from subsessiond.ports import OfferedTool, ToolAnswer
from subsessiond.rpc.call import Call
from subsessiond.rpc.mcp.table import tool_named
from subsessiond.rpc.mcp.toolbox import Toolbox


class InProcessTools:
    """Our tools as a port of runners. The toolbox is made after them, and bound then."""

    def __init__(self) -> None:
        self._toolbox: Toolbox | None = None

    def bind(self, toolbox: Toolbox) -> Toolbox:
        """Connect to the tools, and give them back."""
        self._toolbox = toolbox
        return toolbox

    def offered(self, node_id: NodeId) -> tuple[OfferedTool, ...]:
        """Give the tools that are there for a node."""
        return tuple(
            OfferedTool(name=tool["name"], text=tool["description"], schema=tool["inputSchema"])
            for tool in self._bound.shown(_call_of(node_id))
        )

    async def call(self, node_id: NodeId, name: str, arguments: dict[str, Any]) -> ToolAnswer:
        """Call one; whatever happens becomes an answer."""
        tool = tool_named(name)
        assert tool is not None, name
        call = _call_of(node_id)
        result = self._bound.show(await self._bound.call(tool, arguments, call), call)
        texts = (part["text"] for part in result["content"])
        return ToolAnswer(text="\n\n".join(texts), refused=result["isError"])

    @property
    def _bound(self) -> Toolbox:
        assert self._toolbox is not None
        return self._toolbox


def _call_of(node_id: NodeId) -> Call:
    return Call(caller=Caller(node_id=node_id, why="the loop of this child itself"))
