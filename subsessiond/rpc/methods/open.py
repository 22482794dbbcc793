"""`subsession.open`: a root for a person's agent or script, or the way back to one."""

from subsessiond.engine.tokens import token_hash
from subsessiond.model.commands import OpenRoot
from subsessiond.model.decision import Opened
from subsessiond.model.process import Identity
from subsessiond.model.view import OpenAnswer
from subsessiond.ports import WorkspaceBusy, WorkspaceFault
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk
from subsessiond.rpc.refused import Malformed, not_in_time
from subsessiond.wire.params import OpenParams


async def open_root(desk: Desk, call: Call, params: OpenParams) -> OpenAnswer:
    """Open or resume a root; the agent above an MCP bridge becomes its territory."""
    workspace = await real_folder(desk, params.workspace)
    peer = desk.peer_of(call.caller)
    token = desk.ids.token()
    command = OpenRoot(
        new_id=desk.ids.node_id(),
        workspace=workspace,
        title=params.title or "",
        token_cap=params.token_cap,
        token_hash=token_hash(token),
        resume=params.resume,
        resume_detached=bool(params.resume_detached),
        gone=_gone(desk, workspace) if params.resume_detached else (),
        agent=peer.agent if peer is not None else None,
        bridge=peer.bridge if peer is not None else None,
        caller=call.caller,
        **desk.stamps(),
    )
    opened = await desk.ask(command, Opened)
    # Why always a fresh one: a root's identity is its process, and a token only narrows.
    desk.tokens.take_back(opened.node_id)
    desk.tokens.give(opened.node_id, token)
    return OpenAnswer(
        node_id=opened.node_id,
        token=token,
        resumed=opened.resumed,
        token_cap=opened.token_cap,
        workspace=opened.workspace,
    )


def _gone(desk: Desk, workspace: str) -> tuple[Identity, ...]:
    """List the agents of live roots on a folder that run no more."""
    live = (desk.tree.nodes[root_id] for root_id, is_live in desk.tree.roots.items() if is_live)
    roots = (root for root in live if root.workspace == workspace)
    agents = (agent for root in roots for agent in (root.identity, *root.former))
    return tuple(agent for agent in agents if agent is not None and not desk.runs(agent))


async def real_folder(desk: Desk, path: str) -> str:
    """Give a workspace's one name.

    Raises:
        Malformed: it is no folder that may be one.
        Refused: BUSY - it could not be looked at in time.
    """
    try:
        return await desk.workspace.open(path)
    except WorkspaceBusy as fault:
        raise not_in_time() from fault
    except WorkspaceFault as fault:
        raise Malformed("workspace", str(fault)) from fault
