"""`open`: a root for a person's agent or script, or the way back to one."""

from collections.abc import Iterator

from subsessiond.core.draft import Draft
from subsessiond.core.mail import put_back
from subsessiond.model.commands import OpenRoot
from subsessiond.model.decision import Decided, Opened
from subsessiond.model.events import RootJoined, RootOpened, RootResumed
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node, Status
from subsessiond.model.policy import Policy
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.tree import Tree


def decide_open(tree: Tree, policy: Policy, command: OpenRoot) -> Decided | Rejection:
    """Give the caller its one root: the one it is, the one it names, one left behind, or a new one.

    Why all of it here: of several bridges that start at one moment the second sees what the first
    one got.
    """
    draft = Draft(tree, policy, command)
    own = _own(tree, command)
    if own is not None or not command.caller.is_operator:
        return _join(draft, command, own)
    if command.resume is not None:
        return _resume(draft, command, tree.nodes.get(command.resume))
    if left := _left_behind(tree, command):
        return _resume(draft, command, left)
    record = _record(policy, command)
    draft.add(RootOpened, record.node_id, record=record)
    _know_bridge(draft, command, record.node_id)
    return draft.done(_answer(record, resumed=False))


def _own(tree: Tree, command: OpenRoot) -> Node | None:
    """Find the live root that the caller is already, or became since it called."""
    if command.caller.node_id is not None:
        node = tree.nodes.get(command.caller.node_id)
        return node if node is not None and node.is_root and node.is_live else None
    if command.agent is None or command.resume is not None:
        return None
    of_agent = (root for root in _live_roots(tree) if command.agent.process in _agents(root))
    return next(of_agent, None)


def _join(draft: Draft, command: OpenRoot, own: Node | None) -> Decided | Rejection:
    """Let another bridge speak as the root that its agent is; no agent is two."""
    fits = own is not None and command.resume in (None, own.node_id)
    if own is None or not fits or own.workspace != command.workspace:
        detail = _why_not(own or draft.tree.nodes.get(command.caller.node_id or NodeId("")))
        return Rejection(code=Code.NOT_ALLOWED, step="caller", detail=detail)
    _know_bridge(draft, command, own.node_id)
    return draft.done(_answer(own, resumed=True))


def _left_behind(tree: Tree, command: OpenRoot) -> Node | None:
    """Find the newest root of the folder that a bridge opened and whose agents are all gone."""
    if not command.resume_detached or command.agent is None:
        return None
    gone = frozenset(identity.process for identity in command.gone)
    for root in _live_roots(tree):
        agents = _agents(root)
        here = root.workspace == command.workspace and not root.stopping
        if here and root.identity is not None and agents <= gone:
            return root
    return None


def _live_roots(tree: Tree) -> Iterator[Node]:
    """Give the live roots, the newest first."""
    ids = (root_id for root_id, is_live in tree.roots.items() if is_live)
    return (tree.nodes[root_id] for root_id in sorted(ids, reverse=True))


def _agents(root: Node) -> frozenset[tuple[str, int, int]]:
    known = (root.identity, *root.former)
    return frozenset(identity.process for identity in known if identity is not None)


def _know_bridge(draft: Draft, command: OpenRoot, root_id: NodeId) -> None:
    """Remember the bridge's own process, unless it is the agent itself."""
    bridge, agent = command.bridge, command.agent
    if bridge is not None and (agent is None or agent.process != bridge.process):
        draft.add(RootJoined, root_id, bridge=bridge)


def _why_not(node: Node | None) -> str:
    """Say why whoever is a node already opens no root, and what helps."""
    if node is not None and not node.is_root:
        return "a child lives in a tree already; it cannot open another"
    if node is None or not node.is_live:
        return "this agent's root was closed; start the agent anew, and it can open another"
    return (
        f"this agent is the root on {node.workspace} already, and no agent is two; where it is an "
        'editor of several folders, territory = "bridge" in subsessiond.toml gives each its own'
    )


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


def _resume(draft: Draft, command: OpenRoot, root: Node | None) -> Decided:
    if root is None or not root.is_root:
        return draft.done(Rejection(code=Code.NOT_FOUND, step="resume"))
    if not root.is_live:
        return draft.done(_closed())
    draft.add(RootResumed, root.node_id, agent=command.agent, token_hash=command.token_hash)
    _know_bridge(draft, command, root.node_id)
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
