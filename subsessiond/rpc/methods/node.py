"""`subsession.node`: one node, everything for the operator, a bounded view for its parent."""

import msgspec

from subsessiond.core.views.node import child_view
from subsessiond.model.view import ChildView
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk
from subsessiond.rpc.rights import own_child
from subsessiond.wire.params import NodeParams


async def node(desk: Desk, call: Call, params: NodeParams) -> msgspec.Raw | ChildView:
    """Show one node."""
    if call.caller.is_operator:
        found = desk.tree.nodes.get(params.node_id) or await desk.any_node(params.node_id)
        return desk.rows.view(desk.tree, found)
    return child_view(own_child(desk, call, params.node_id), desk.limits.node_view_tokens)
