"""`open`: a root for a person's agent or script, or the way back to one."""

from subsessiond.core.draft import Draft
from subsessiond.core.mail import put_back
from subsessiond.model.commands import OpenRoot
from subsessiond.model.decision import Decided, Opened
from subsessiond.model.events import RootOpened, RootResumed
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node, Status
from subsessiond.model.policy import Policy
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.tree import Tree


def decide_open(tree: Tree, policy: Policy, command: OpenRoot) -> Decided | Rejection:
    """Open a root, or resume the one that is named."""
    if not command.caller.is_operator:
        detail = _why_not(tree, command.caller.node_id)
        return Rejection(code=Code.NOT_ALLOWED, step="caller", detail=detail)
    draft = Draft(tree, policy, command)
    if command.resume is not None:
        return _resume(draft, command)
    record = _record(policy, command)
    draft.add(RootOpened, record.node_id, record=record)
    return draft.done(_answer(record, resumed=False))


def _why_not(tree: Tree, node_id: NodeId | None) -> str:
    """Say why whoever is a node already opens no root, and what helps."""
    node = tree.nodes.get(node_id) if node_id is not None else None
    if node is not None and not node.is_root:
        return "a child lives in a tree already; it cannot open another"
    if node is None or not node.is_live:
        return "this agent's root was closed; start the agent anew, and it can open another"
    return f"this agent is the root on {node.workspace} already, and no agent is two"


def _record(policy: Policy, command: OpenRoot) -> Node:
    cap = command.token_cap
    return Node(
        node_id=command.new_id,
        parent=None,
        root=command.new_id,
        workspace=command.workspace,
        status=Status.RUNNING,
        title=command.title or command.workspace.rstrip("/").rsplit("/", 1)[-1] or "/",
        depth=policy.limits.root_depth,
        token_cap=policy.limits.root_token_cap if cap is None else cap,
        claimed_at_ms=command.at_ms,
        claimed_awake_ms=command.awake_ms,
        started_at_ms=command.at_ms,
        identity=command.agent,
        token_hash=command.token_hash,
    )


def _resume(draft: Draft, command: OpenRoot) -> Decided:
    root = draft.tree.nodes.get(command.resume) if command.resume else None
    if root is None or not root.is_root:
        return draft.done(Rejection(code=Code.NOT_FOUND, step="resume"))
    if not root.is_live:
        return draft.done(_closed())
    draft.add(RootResumed, root.node_id, agent=command.agent, token_hash=command.token_hash)
    put_back(draft, root.node_id)
    return draft.done(_answer(root, resumed=True))


def _closed() -> Rejection:
    detail = "this root was closed; open another"
    return Rejection(code=Code.NODE_NOT_LIVE, step="resume", detail=detail)


def _answer(root: Node, *, resumed: bool) -> Opened:
    return Opened(
        node_id=root.node_id,
        resumed=resumed,
        token_cap=root.token_cap,
        workspace=root.workspace,
    )
