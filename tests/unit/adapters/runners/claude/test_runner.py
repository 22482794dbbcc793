import pytest

from subsessiond.adapters.runners.agentprocess import Host
from subsessiond.adapters.runners.claude.child import ClaudeChild
from subsessiond.adapters.runners.claude.runner import ClaudeRunner
from subsessiond.model.role import AgentProfile
from subsessiond.ports import RunnerFault
from tests.support.stage import Stage
from tests.support.transcripts import ListedTranscripts


async def test_it_makes_children_and_needs_a_command_line(here: Stage) -> None:
    """Nothing starts before the child's run; a profile without a program is a fault at once."""
    host = Host(None, ListedTranscripts(), (), "/s", here.folder)  # type: ignore[arg-type]
    runner = ClaudeRunner(host)
    profile = AgentProfile(name="claude", runner="claude", command=("claude",))
    order = await here.order(profile, role="worker")
    assert isinstance(runner.start(order, here.voice), ClaudeChild)
    empty = await here.order(AgentProfile(name="claude", runner="claude"), role="worker")
    with pytest.raises(RunnerFault, match="claude has no command line"):
        runner.start(empty, here.voice)
