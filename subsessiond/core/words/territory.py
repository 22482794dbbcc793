"""How a process is told that it is taken for a root, and what its person can do about it."""

from subsessiond.model.ids import NodeId
from subsessiond.model.process import AGENT, Identity

WAY_OUT = (
    "a terminal that it did not start is outside of it; where it is the editor itself, territory = "
    '"bridge" in subsessiond.toml leaves only `subsession mcp` inside, and then what the agent '
    "runs counts as its person"
)


def territory_told(pid: int, node_id: NodeId, held_by: Identity | None) -> str:
    """Say in whose territory a process lies.

    Args:
        pid: the process.
        node_id: whose.
        held_by: what makes it so, where that is known.
    """
    told = f"process {pid} lies in the territory of {node_id}"
    if held_by is None or held_by.container != AGENT:
        return told
    named = f" ({held_by.name})" if held_by.name else ""
    return f"{told}, which is process {held_by.pid}{named} and all below it; {WAY_OUT}"
