"""Who is calling: derived from the operating system, narrowed by a token, never widened by one.

A process in some node's territory calls as that node. A process in nobody's is the operator; a
grant needs a person's own terminal besides. What cannot be shown to be in nobody's territory is
refused.
"""

import socket
from collections.abc import Callable

from subsessiond.core.words.territory import territory_told
from subsessiond.model.commands import Caller
from subsessiond.model.ids import NodeId
from subsessiond.model.peer import Peer
from subsessiond.model.process import Identity
from subsessiond.model.rejection import Code, Rejection
from subsessiond.model.tree import Tree
from subsessiond.ports import Peers
from subsessiond.rpc.refused import Refused
from subsessiond.rpc.territories import Finding, Territories, ancestry

BEARER = "bearer "
NO_TERMINAL = "the caller has no terminal whose session began above it"
ELSEWHERE = "the caller's environment names a node of another daemon"
HEADLESS = "operator.headless allows it"


class _Known:
    """One connection: its peer, and the callers found for it at one state of the tree."""

    __slots__ = ("callers", "epoch", "finding", "peer", "sock")

    def __init__(self, sock: socket.socket, peer: Peer) -> None:
        self.sock = sock
        self.peer = peer
        self.epoch = -1
        self.finding = Finding()
        self.callers: dict[NodeId | None, Caller] = {}


class Callers:
    """Finds the caller of each message; looks at a peer once a connection."""

    def __init__(
        self,
        peers: Peers,
        territories: Territories,
        tree: Callable[[], Tree],
        node_of: Callable[[str], NodeId | None],
        *,
        headless: bool = False,
    ) -> None:
        """Get ready.

        Args:
            peers: Looks at processes.
            territories: Knows what belongs to whom; fed by the registry.
            tree: Gives the published tree.
            node_of: Gives the node of a token.
            headless: Whether the operator may grant without a terminal.
        """
        self._peers = peers
        self._territories = territories
        self._tree = tree
        self._node_of = node_of
        self._headless = headless
        # Why by descriptor: a number is taken by one connection at a time, so this cannot grow
        # beyond them, and the socket object kept beside it tells two users of a number apart.
        self._known: dict[int, _Known] = {}

    def identify(self, sock: socket.socket | None, authorization: str | None = None) -> Caller:
        """Tell who sent a message.

        Args:
            sock: The connection's socket; none when it is gone.
            authorization: The header of that name.

        Raises:
            Refused: NOT_ALLOWED - the process cannot be placed, or its token is not its own.
        """
        known = self._connection(sock)
        if known.epoch != self._territories.epoch:
            known.epoch = self._territories.epoch
            known.finding = self._territories.find(known.peer)
            known.callers.clear()
        claimed = None if authorization is None else self._claimed(authorization, known.finding)
        caller = known.callers.get(claimed)
        if caller is None:
            caller = known.callers[claimed] = self._derive(known.peer, known.finding, claimed)
        return caller

    def peer_of(self, caller: Caller) -> Peer | None:
        """Give the process behind a caller that `identify` gave; none when it is gone."""
        for known in self._known.values():
            if any(caller is one for one in known.callers.values()):
                return known.peer
        return None

    def runs(self, identity: Identity) -> bool:
        """Tell whether a process that was seen before still runs."""
        return self._peers.runs(identity)

    def _connection(self, sock: socket.socket | None) -> _Known:
        number = -1 if sock is None else sock.fileno()
        if sock is None or number < 0:
            raise Refused(_not_allowed("the connection is gone"))
        known = self._known.get(number)
        if known is None or known.sock is not sock:
            known = self._known[number] = _Known(sock, self._peers.look(sock))
        return known

    def _claimed(self, authorization: str, finding: Finding) -> NodeId | None:
        """Give the node of a token.

        A token of nobody tells nothing of a process whose node is known anyway: a child may speak
        late. Anybody else who shows one is refused, because it did not come as the operator.
        """
        token = authorization[len(BEARER) :].strip()
        by_token = authorization[: len(BEARER)].lower() == BEARER
        node_id = self._node_of(token) if by_token and token else None
        if node_id is None and not finding.by_kernel:
            raise Refused(_not_allowed("its token is not one of a live node"))
        return node_id

    def _derive(self, peer: Peer, finding: Finding, claimed: NodeId | None) -> Caller:
        found = finding.node_id
        if found is None:
            return self._outside(peer, finding, claimed)
        if not finding.by_kernel and peer.below_daemon and claimed != found:
            detail = "it left its node's processes and shows no token of that node"
            raise Refused(_not_allowed(detail))
        node = self._tree().nodes.get(found)
        why = territory_told(peer.pid, found, node.identity if node is not None else None)
        return Caller(node_id=self._narrowed(found, claimed), why=why)

    def _outside(self, peer: Peer, finding: Finding, claimed: NodeId | None) -> Caller:
        if peer.problem:
            raise Refused(_not_allowed(peer.problem))
        if finding.stray:
            raise Refused(_not_allowed("a child's process started it, and nothing tells which"))
        if claimed is not None:
            return Caller(node_id=claimed, why=f"process {peer.pid} uses the token of {claimed}")
        may_grant, why = self._may_grant(peer, finding)
        return Caller(may_grant=may_grant, why=f"process {peer.pid}: {why}")

    def _may_grant(self, peer: Peer, finding: Finding) -> tuple[bool, str]:
        if self._headless:
            return True, HEADLESS
        if finding.marked_elsewhere:
            return False, ELSEWHERE
        return peer.has_terminal, "" if peer.has_terminal else NO_TERMINAL

    def _narrowed(self, found: NodeId, claimed: NodeId | None) -> NodeId:
        """Let a token choose a node at or below the one that was derived, and no other."""
        if claimed is None or claimed == found:
            return found
        nodes = self._tree().nodes
        node = nodes.get(claimed)
        if node is None or found not in ancestry(nodes, node):
            raise Refused(_not_allowed("its token is that of a node outside its territory"))
        return claimed


def _not_allowed(detail: str) -> Rejection:
    return Rejection(code=Code.NOT_ALLOWED, step="identity", detail=detail)
