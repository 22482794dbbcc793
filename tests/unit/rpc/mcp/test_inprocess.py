"""The tools for children whose agent runs in the daemon."""

import structlog

from subsessiond.model.ids import NodeId
from subsessiond.rpc.mcp.inprocess import InProcessTools
from subsessiond.rpc.mcp.toolbox import Toolbox
from subsessiond.rpc.methods import handlers
from tests.support.desk import Bench


def bound(bench: Bench) -> InProcessTools:
    """Give the tools of a desk."""
    tools = InProcessTools()
    made = Toolbox(bench.desk, handlers(bench.desk), structlog.get_logger(__name__))
    assert tools.bind(made) is made
    return tools


async def test_a_child_is_offered_what_its_role_has(bench: Bench) -> None:
    """The same names, texts and schemas as over MCP; the daemon knows that they were seen."""
    root = await bench.root()
    worker = NodeId(await bench.child(root, role="worker"))
    lead = NodeId(await bench.child(root, role="lead"))
    tools = bound(bench)
    names = [tool.name for tool in tools.offered(worker)]
    assert names == ["report", "subsession_checkpoint"]
    assert "subsession_spawn" in [tool.name for tool in tools.offered(lead)]
    report = tools.offered(worker)[0]
    assert report.text.startswith("Report to the agent that started you")
    assert report.schema["required"] == ["output"]
    assert bench.desk.channels.seen(worker)


async def test_a_call_is_the_childs_own(bench: Bench) -> None:
    """It is answered as over MCP, a refusal included."""
    root = await bench.root()
    worker = NodeId(await bench.child(root, role="worker"))
    tools = bound(bench)
    said = await tools.call(worker, "report", {"output": "here"})
    assert (said.refused, said.text) == (
        False,
        f"report accepted by the agent that started you as message {worker}.1",
    )
    refused = await tools.call(worker, "report", {"output": "here", "stage": "final"})
    assert refused.refused
    assert refused.text.startswith("Refused: ")
