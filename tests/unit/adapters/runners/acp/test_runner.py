import pytest

from subsessiond.adapters.processes import LinuxProcesses
from subsessiond.adapters.runners.acp.child import AcpChild
from subsessiond.adapters.runners.acp.runner import AcpRunner
from subsessiond.adapters.runners.agentprocess import Host
from subsessiond.model.process import Stopped
from subsessiond.model.role import AgentProfile
from subsessiond.ports import RunnerFault
from tests.support.stage import Stage
from tests.support.transcripts import ListedTranscripts


@pytest.fixture
def runner(here: Stage, processes: LinuxProcesses) -> AcpRunner:
    """A runner."""
    host = Host(processes, ListedTranscripts(), ("shim",), "/s", here.folder / "scratch")
    return AcpRunner(host)


async def test_it_makes_children_and_starts_nothing(here: Stage, runner: AcpRunner) -> None:
    """A child that is stopped before its run was never started."""
    profile = AgentProfile(name="actor", runner="acp", command=("no-such-thing",))
    child = runner.start(await here.order(profile, role="worker"), here.voice)
    assert isinstance(child, AcpChild)
    assert await child.stop() == Stopped()
    await child.run()
    assert here.outcomes() == []


async def test_a_profile_without_a_command_line_cannot_be_run(
    here: Stage, runner: AcpRunner
) -> None:
    """It is said before anything is started."""
    order = await here.order(AgentProfile(name="actor", runner="acp"), role="worker")
    with pytest.raises(RunnerFault, match="actor has no command line"):
        runner.start(order, here.voice)
