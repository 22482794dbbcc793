import sys

import pytest

from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.adapters.runners.agentprocess import Host
from subsessiond.adapters.runners.jsonl.runner import LinesRunner
from subsessiond.model.commands import EndChild
from subsessiond.ports import RunnerFault
from subsessiond.rpc.schema import schema_fault
from tests.support.headless import profile, prompt
from tests.support.stage import Stage
from tests.support.transcripts import ListedTranscripts


def runner_of(here: Stage, processes: LinuxProcesses) -> LinesRunner:
    """Make a runner."""
    host = Host(processes, ListedTranscripts(), ("shim",), "/run/s.sock", here.folder / "scratch")
    return LinesRunner(host, schema_fault)


async def test_an_agent_without_a_command_line_cannot_run(
    here: Stage, processes: LinuxProcesses
) -> None:
    """The fault names the agent and the file."""
    order = await here.order(profile(command=()), role="worker")
    with pytest.raises(RunnerFault, match=r"agent actor has no command line in agents\.toml"):
        runner_of(here, processes).start(order, here.voice)


ECHO = 'import json,sys; print(json.dumps({"type": "result", "result": repr(sys.argv)}))'


@pytest.mark.parametrize(
    ("more", "before", "after"),
    [
        (("-a",), "'-a', 'Do this.", "']"),
        (("-p", "<{brief}>", "-x"), "'-p', '<Do this.", ">', '-x']"),
    ],
)
async def test_a_brief_by_argument_is_where_the_command_line_says(
    here: Stage, processes: LinuxProcesses, more: tuple[str, ...], before: str, after: str
) -> None:
    """It stands for `{brief}`, or is the last argument where there is no such word."""
    made = profile(command=(sys.executable, "-c", ECHO, *more), brief_by="argument")
    env = tuple(here.environment().items())
    order = await here.order(made, env, role="worker", mission=prompt())
    child = runner_of(here, processes).start(order, here.voice)
    await child.run()
    await child.stop()
    await here.settled_queue()
    assert not here.told(EndChild)
    settlement = here.node(order.node.node_id).settlement
    assert settlement is not None
    assert before in settlement.output
    assert settlement.output.endswith(after)
