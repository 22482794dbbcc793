"""`daemon.caller`: for whom the daemon takes whoever asks."""

from subsessiond.model.node import Node
from subsessiond.model.view import CallerAnswer, CallerKind, TerritoryRow
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk
from subsessiond.wire.params import NoParams


async def caller(desk: Desk, call: Call, _params: NoParams) -> CallerAnswer:
    """Tell who the caller is; a root that was closed long ago is in memory no more."""
    who = call.caller
    if who.node_id is None:
        return CallerAnswer(kind=CallerKind.OPERATOR, may_grant=who.may_grant, why=who.why)
    node = desk.tree.nodes.get(who.node_id) or await desk.store.node(who.node_id)
    is_child = node is not None and not node.is_root
    return CallerAnswer(
        kind=CallerKind.CHILD if is_child else CallerKind.ROOT,
        node_id=who.node_id,
        is_live=node is not None and node.is_live,
        may_grant=False,
        why=who.why,
        territory=_territory(desk, node),
    )


def _territory(desk: Desk, node: Node | None) -> TerritoryRow | None:
    identity = node.identity if node is not None else None
    if identity is None:
        return None
    return TerritoryRow(pid=identity.pid, name=identity.name, runs=desk.runs(identity))
