"""`agents.list`: who plays the roles."""

from msgspec.structs import replace

from subsessiond.core.views.answers import agent_rows, room_of
from subsessiond.core.views.measure import fit_items
from subsessiond.model.view import AgentsAnswer
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk
from subsessiond.wire.params import NoParams


async def agents(desk: Desk, call: Call, _params: NoParams) -> AgentsAnswer:
    """List the agents."""
    policy = desk.registry.policy
    problems = {agent.name: desk.problem_of(agent) for agent in policy.agents}
    rows = tuple(replace(row, problem=problems[row.name]) for row in agent_rows(policy))
    if call.caller.is_operator:
        programs = {agent.name: desk.program_of(agent) for agent in policy.agents}
        return AgentsAnswer(agents=tuple(replace(row, program=programs[row.name]) for row in rows))
    fitting = fit_items(rows, room_of(desk.limits))
    return AgentsAnswer(agents=fitting, more=len(rows) - len(fitting))
