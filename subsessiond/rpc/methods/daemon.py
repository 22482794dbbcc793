"""`daemon.*`: about this daemon."""

from subsessiond.model.view import (
    HealthAnswer,
    InfoAnswer,
    ReloadAnswer,
    ShutdownAnswer,
    StatsAnswer,
)
from subsessiond.ports import ConfigFault
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk
from subsessiond.rpc.refused import Malformed
from subsessiond.rpc.rights import require_operator
from subsessiond.wire.params import NoParams

NAME = "subsessiond"
PROTOCOL_VERSION = 1


async def about(desk: Desk, _call: Call, _params: NoParams) -> InfoAnswer:
    """Tell what serves here."""
    facts = desk.about
    return InfoAnswer(
        name=NAME,
        version=facts.version,
        protocol_version=PROTOCOL_VERSION,
        pid=facts.pid,
        started_at=facts.started_at_ms,
        socket=facts.socket,
        state_dir=facts.state_dir,
        config_dir=facts.config_dir,
        containers=facts.containers,
        scripted=any(agent.runner == "scripted" for agent in desk.registry.policy.agents),
        port=desk.port(),
    )


async def health(desk: Desk, _call: Call, _params: NoParams) -> HealthAnswer:
    """Tell that it serves: who reads this has its answer."""
    return HealthAnswer(ok=True, seq=desk.tree.seq)


async def stats(desk: Desk, call: Call, _params: NoParams) -> StatsAnswer:
    """Count what is in memory."""
    require_operator(call)
    tree = desk.tree
    return StatsAnswer(
        seq=tree.seq,
        nodes=len(tree.nodes),
        roots=sum(1 for node in tree.nodes.values() if node.is_root),
        live=tree.live_total,
        blocked=len(desk.changes.queued),
        unread=sum(len(box) for box in tree.mail.values()),
        in_flight=desk.guard.in_flight,
        readers=desk.feed.readers,
        uptime_ms=max(0, desk.clock.wall_ms() - desk.about.started_at_ms),
    )


async def shutdown(desk: Desk, call: Call, _params: NoParams) -> ShutdownAnswer:
    """Begin the end; answered before it comes."""
    require_operator(call)
    desk.shutdown()
    return ShutdownAnswer(stopping=True)


async def reload(desk: Desk, call: Call, _params: NoParams) -> ReloadAnswer:
    """Read limits, roles and agents anew; the old tables stay when the new ones are bad.

    Why a bad word of a table is a bad field: the tables are what this call takes, and the caller,
    who is the operator, may well do it. What is wrong is named by file, table and word.
    """
    require_operator(call)
    try:
        policy = await desk.reload()
    except ConfigFault as fault:
        problem = f"{fault.problem}; the tables there were stay"
        raise Malformed(fault.place, problem) from fault
    return ReloadAnswer(roles=len(policy.roles), agents=len(policy.agents))
