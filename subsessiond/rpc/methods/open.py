"""`subsession.open`: a root for a person's agent or script, or the way back to one."""

from typing import Final

from subsessiond.engine.tokens import token_hash
from subsessiond.model.commands import OpenRoot
from subsessiond.model.decision import Opened
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.view import OpenAnswer
from subsessiond.ports import WorkspaceBusy, WorkspaceFault
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk
from subsessiond.rpc.refused import Malformed, Refused
from subsessiond.wire.params import OpenParams

RETRY_MS: Final = 1_000
"""When a folder that nobody could look at may be tried again."""


async def open_root(desk: Desk, call: Call, params: OpenParams) -> OpenAnswer:
    """Open or resume a root; the agent above an MCP bridge becomes its territory."""
    workspace = await _workspace(desk, params.workspace)
    if root := _own_root(desk, call, params.resume, workspace):
        return _back(desk, root)
    peer = desk.peer_of(call.caller)
    token = desk.ids.token()
    command = OpenRoot(
        new_id=desk.ids.node_id(),
        workspace=workspace,
        title=params.title or "",
        token_cap=params.token_cap,
        token_hash=token_hash(token),
        resume=params.resume,
        agent=peer.agent if peer is not None else None,
        caller=call.caller,
        **desk.stamps(),
    )
    opened = await desk.ask(command, Opened)
    desk.tokens.take_back(opened.node_id)
    desk.tokens.give(opened.node_id, token)
    return OpenAnswer(
        node_id=opened.node_id,
        token=token,
        resumed=opened.resumed,
        token_cap=opened.token_cap,
        workspace=opened.workspace,
    )


async def _workspace(desk: Desk, path: str) -> str:
    try:
        return await desk.workspace.open(path)
    except WorkspaceBusy as fault:
        detail = "the folder could not be looked at in time"
        raise Refused(
            Rejection(code=Code.BUSY, step="workspace", detail=detail, retry_after_ms=RETRY_MS)
        ) from fault
    except WorkspaceFault as fault:
        raise Malformed("workspace", str(fault)) from fault


def _own_root(desk: Desk, call: Call, resume: NodeId | None, workspace: str) -> Node | None:
    """Find the live root that the caller is already: a bridge that came back under its agent."""
    own = desk.tree.nodes.get(call.caller.node_id) if call.caller.node_id is not None else None
    if own is None or not own.is_root or not own.is_live or own.workspace != workspace:
        return None
    return own if resume in (None, own.node_id) else None


def _back(desk: Desk, root: Node) -> OpenAnswer:
    """Give a root that is open a token again; its process is its identity, not the token."""
    token = desk.ids.token()
    desk.tokens.take_back(root.node_id)
    desk.tokens.give(root.node_id, token)
    return OpenAnswer(
        node_id=root.node_id,
        token=token,
        resumed=True,
        token_cap=root.token_cap,
        workspace=root.workspace,
    )
