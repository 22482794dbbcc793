"""`subsession.node`: one node, everything for the operator, a bounded view for its parent."""

from subsessiond.core.views.node import child_view, node_view
from subsessiond.model.view import ChildView, NodeView
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk
from subsessiond.rpc.rights import own_child
from subsessiond.wire.params import NodeParams


async def node(desk: Desk, call: Call, params: NodeParams) -> NodeView | ChildView:
    """Show one node."""
    if call.caller.is_operator:
        return node_view(desk.tree, await desk.any_node(params.node_id))
    return child_view(own_child(desk, call, params.node_id), desk.limits.node_view_tokens)
