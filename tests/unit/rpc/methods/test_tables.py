"""`rpc.methods.tables`."""

from dataclasses import replace

from subsessiond.model.commands import Caller
from subsessiond.model.role import AgentProfile
from subsessiond.rpc.call import Call
from subsessiond.rpc.methods.tables import agents
from subsessiond.wire.params import NoParams
from tests.support.desk import Bench


def problem_of(agent: AgentProfile) -> str:
    """Let one agent lack something."""
    return "its key is not set" if agent.name == "mute" else ""


async def test_an_agent_that_cannot_be_started_says_why(bench: Bench) -> None:
    """Before anybody spawns it; of the others nothing is said."""
    desk = replace(bench.desk, problem_of=problem_of)
    answer = await agents(desk, Call(caller=Caller()), NoParams())
    found = {row.name: row.problem for row in answer.agents}
    assert found.pop("mute") == "its key is not set"
    assert set(found.values()) == {""}
