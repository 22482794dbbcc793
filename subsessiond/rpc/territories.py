"""Which node a process belongs to, by what the registry has recorded of every node's processes.

Fed by the registry's events. It asks the kernel nothing: a peer is looked at once and then only
compared.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from subsessiond.model.events import (
    AnyEvent,
    NodeAdmitted,
    NodeReleased,
    NodeStarted,
    ProcessNoted,
    RootJoined,
    RootOpened,
    RootResumed,
)
from subsessiond.model.ids import NodeId
from subsessiond.model.node import Node, Status
from subsessiond.model.peer import Peer
from subsessiond.model.process import Identity
from subsessiond.model.tree import Tree
from subsessiond.ports import Agent

_MOVES = (
    *(NodeAdmitted, NodeReleased, NodeStarted, ProcessNoted),
    *(RootOpened, RootResumed, RootJoined),
)
"""Events after which the same process may be found to belong to somebody else."""


@dataclass(frozen=True, slots=True)
class Finding:
    """To whom a process belongs, and whether the kernel says so."""

    node_id: NodeId | None = None
    by_kernel: bool = False
    """By descent or container; otherwise by the mark in the environment alone."""
    stray: bool = False
    """Some child's process, but nothing proves which child's."""
    marked_elsewhere: bool = False
    """Its environment names a node that is not in this tree."""


class Territories:
    """Index of recorded processes and containers.

    Args:
        tree: As it was read back.
        agents: Whose process each agent and bridge was, oldest first, though the root may be long
            closed and not in the tree: it stays what it was for as long as it runs.
    """

    def __init__(self, tree: Tree, agents: Iterable[Agent] = ()) -> None:
        self._tree = tree
        self._processes: dict[tuple[str, int, int], NodeId] = {}
        self._groups: dict[str, NodeId] = {}
        self._born: dict[NodeId, Identity] = {}
        """Processes that the registry has not recorded yet."""
        self._runs: dict[NodeId, list[Identity]] = {}
        """Every process that a live child had in this life of the daemon: some have one a turn."""
        self.epoch = 0
        """Grows whenever an earlier finding may not hold any more."""
        for root_id, identity in agents:
            self._record(root_id, identity)
        for node in tree.nodes.values():
            # Why the released are left out, but roots not: a child's processes are proven gone,
            # while the agent of a closed root lives on and is no person for that.
            if node.is_root or node.status is not Status.RELEASED:
                for known in (*node.former, node.identity):
                    self._record(node.node_id, known)

    def expect(self, node_id: NodeId, identity: Identity) -> None:
        """Know a child's process before its program begins.

        Why not from the registry alone: it records what runs already, and what runs may call.
        """
        self._born[node_id] = identity
        self._record(node_id, identity)
        self.epoch += 1

    def on_events(self, events: tuple[AnyEvent, ...], tree: Tree) -> None:
        """Keep up with the registry."""
        self._tree = tree
        for event in events:
            if isinstance(event, _MOVES):
                self.epoch += 1
                self._follow(event)

    def find(self, peer: Peer) -> Finding:
        """Tell to whom a process belongs; of several nodes the nearest, then the deepest.

        Descent and container are the kernel's word. The mark is the process's own, so it can only
        narrow: to a node below the one the kernel names, or where the kernel names none.
        """
        marked = self._tree.nodes.get(NodeId(peer.marked)) if peer.marked else None
        holder = self._by_kernel(peer)
        if holder is not None:
            inside = marked is not None and holder in ancestry(self._tree.nodes, marked)
            found = marked.node_id if marked is not None and inside else holder
            return Finding(node_id=found, by_kernel=True)
        if marked is not None:
            return Finding(node_id=marked.node_id)
        return Finding(stray=peer.below_daemon, marked_elsewhere=bool(peer.marked))

    def _by_kernel(self, peer: Peer) -> NodeId | None:
        for spot in peer.line:
            found = self._processes.get((peer.boot_id, spot.pid, spot.start_ticks))
            if found is not None:
                return found
        if not self._groups or not peer.cgroup:
            return None
        return next((self._groups[key] for key in _keys(peer.cgroup) if key in self._groups), None)

    def _follow(self, event: AnyEvent) -> None:
        match event:
            case ProcessNoted(identity=identity) | NodeStarted(identity=identity):
                self._born.pop(event.node, None)
                self._record(event.node, identity)
                if identity is not None:
                    self._runs.setdefault(event.node, []).append(identity)
            case RootOpened(record=record):
                self._record(event.node, record.identity)
            case RootResumed(agent=agent):
                self._record(event.node, agent)
            case RootJoined(bridge=bridge):
                self._record(event.node, bridge)
            case NodeReleased(by_operator=False):
                self._forget(self._born.pop(event.node, None))
                node = self._tree.nodes.get(event.node)
                if node is not None and not node.is_root:
                    for known in (node.identity, *self._runs.pop(event.node, ())):
                        self._forget(known)
            case _:
                pass

    def _record(self, node_id: NodeId, identity: Identity | None) -> None:
        if identity is None:
            return
        self._processes[identity.boot_id, identity.pid, identity.start_ticks] = node_id
        if identity.cgroup:
            self._groups[next(_keys(identity.cgroup))] = node_id

    def _forget(self, identity: Identity | None) -> None:
        if identity is None:
            return
        self._processes.pop((identity.boot_id, identity.pid, identity.start_ticks), None)
        if identity.cgroup:
            self._groups.pop(next(_keys(identity.cgroup)), None)


def ancestry(nodes: Mapping[NodeId, Node], node: Node) -> Iterator[NodeId]:
    """Give a node's id and those of all above it, itself first."""
    here: Node | None = node
    while here is not None:
        yield here.node_id
        here = nodes.get(here.parent) if here.parent is not None else None


def _keys(cgroup: str) -> Iterator[str]:
    """Give the last two names of a place, and of every place above it, the deepest first.

    Why two: the path as mounted and the path as a process sees it differ in front.
    """
    place = PurePosixPath(cgroup)
    for here in (place, *place.parents):
        if len(here.parts) > 2:  # noqa: PLR2004 - root, the daemon's group, the child's group
            yield "/".join(here.parts[-2:])
