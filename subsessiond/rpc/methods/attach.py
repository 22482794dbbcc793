"""`subsession.attach`: a process that somebody else started becomes the child that waits for it."""

from typing import Final

from subsessiond.core.attach import refuse_attach
from subsessiond.core.words import opening_text
from subsessiond.model.commands import Attach
from subsessiond.model.decision import Accepted
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node, Status
from subsessiond.model.peer import Peer
from subsessiond.model.process import ATTACHED, Identity
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.role import Channel
from subsessiond.model.tree import Tree
from subsessiond.model.view import AttachAnswer
from subsessiond.rpc.call import Call
from subsessiond.rpc.desk import Desk, not_found
from subsessiond.rpc.refused import Refused
from subsessiond.wire.params import AttachParams

UP_MS: Final = 10_000
"""How long the runner may take to look at a process that was recorded; a moment."""


async def attach(desk: Desk, call: Call, params: AttachParams) -> AttachAnswer:
    """Attach the calling process, or the agent above it; or show what it would be told."""
    node_id = params.node_id or call.caller.node_id
    if node_id is None:
        raise not_found()
    if params.check_only:
        return _look(desk, call, node_id)
    identity = _identity(desk, call, node_id, above=bool(params.above))
    command = Attach(node=node_id, identity=identity, caller=call.caller, **desk.stamps())
    attached = await desk.ask(command, Accepted)
    node = await _up(desk, node_id)
    # Why no second token: the process has given the first one to what it started since.
    token = "" if attached.already else desk.ids.token()
    if token:
        desk.tokens.take_back(node_id)
        desk.tokens.give(node_id, token)
    return _answer(desk, node, identity.pid, token)


def _look(desk: Desk, call: Call, node_id: NodeId) -> AttachAnswer:
    """Show the brief to who may attach, and again to who is attached."""
    rejection = refuse_attach(desk.tree, call.caller, node_id)
    own = call.caller.node_id == node_id
    if rejection is not None and not (own and rejection.code is Code.ALREADY_ATTACHED):
        raise Refused(rejection)
    return _answer(desk, desk.node(node_id))


def _identity(desk: Desk, call: Call, node_id: NodeId, *, above: bool) -> Identity:
    """Name the process that is to be the child, by what the kernel says of the caller."""
    peer = desk.peer_of(call.caller)
    if peer is None or not peer.line:
        raise _not_allowed("this system does not tell which process is calling")
    mark = f"SUBSESSION_NODE={node_id}"
    if above:
        return _above(peer, mark)
    spot = peer.line[0]
    return Identity(
        pid=spot.pid,
        start_ticks=spot.start_ticks,
        boot_id=peer.boot_id,
        container=ATTACHED,
        marker=mark,
    )


def _above(peer: Peer, mark: str) -> Identity:
    if peer.agent is None:
        raise _not_allowed(
            "no agent is above the caller, only a person's shell; "
            "name the command: subsession attach NODE -- CMD"
        )
    return Identity(
        pid=peer.agent.pid,
        start_ticks=peer.agent.start_ticks,
        boot_id=peer.agent.boot_id,
        container=ATTACHED,
        marker=mark,
    )


async def _up(desk: Desk, node_id: NodeId) -> Node:
    """Give the node once it runs.

    Raises:
        Refused: START_FAILED - it has settled meanwhile, or nobody looks after it.
    """

    def over(tree: Tree) -> bool:
        node = tree.nodes.get(node_id)
        return node is None or node.status is not Status.CLAIMED

    await desk.waiting.until(frozenset({node_id}), over, UP_MS)
    node = desk.node(node_id)
    if node.status is Status.RUNNING:
        return node
    said = node.settlement
    detail = said.output if said is not None else "its runner does not answer"
    raise Refused(Rejection(code=Code.START_FAILED, step="start", detail=detail))


def _answer(desk: Desk, node: Node, pid: int | None = None, token: str = "") -> AttachAnswer:
    profiles = (agent for agent in desk.registry.policy.agents if agent.name == node.agent)
    profile = next(profiles, None)
    return AttachAnswer(
        node_id=node.node_id,
        opening=opening_text(node, profile.channel if profile is not None else Channel.MCP),
        workspace=node.workspace,
        socket=desk.about.socket,
        pid=pid,
        token=token,
    )


def _not_allowed(detail: str) -> Refused:
    return Refused(Rejection(code=Code.NOT_ALLOWED, step="process", detail=detail))
