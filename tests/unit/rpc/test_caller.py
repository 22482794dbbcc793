"""`rpc.caller`: from what a peer is to who is calling."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from msgspec.structs import replace

from subsessiond.model.commands import Caller
from subsessiond.model.events import RootResumed
from subsessiond.model.ids import NodeId
from subsessiond.model.peer import Peer, Spot
from subsessiond.model.process import AGENT, Identity
from subsessiond.model.rejection import Code
from subsessiond.model.tree import Tree
from subsessiond.rpc.caller import Callers
from subsessiond.rpc.refused import Refused
from subsessiond.rpc.territories import Territories
from tests.support.desk import identity
from tests.support.trees import AT_MS, a_node, a_tree, node_id

TOKENS = {"t1": node_id(1), "t2": node_id(2), "t3": node_id(3), "t4": node_id(4)}


class Room:
    """Connections whose peers a test describes."""

    def __init__(self, stack: ExitStack, **options: Any) -> None:
        self._stack = stack
        self._peers: dict[socket.socket, Peer] = {}
        self.looks = 0
        self.tree: Tree = a_tree(
            [
                a_node(1, None, identity=identity(50, 50)),
                a_node(2, identity=identity(100, 100)),
                a_node(3, 2),
                a_node(4),
            ],
        )
        self.territories = Territories(self.tree)
        self.callers = Callers(self, self.territories, lambda: self.tree, self.node_of, **options)

    def node_of(self, token: str) -> NodeId | None:
        """Look a token up."""
        return TOKENS.get(token)

    def look(self, sock: socket.socket) -> Peer:
        """Describe a peer, counting how often that is asked for."""
        self.looks += 1
        return self._peers[sock]

    def runs(self, agent: Identity) -> bool:
        """Tell of the root's agent alone that it runs."""
        return agent.pid == 50

    def connect(self, *pids: int, **fields: Any) -> socket.socket:
        """Open a connection from a process with these ancestors."""
        ours, theirs = socket.socketpair()
        self._stack.enter_context(ours)
        self._stack.enter_context(theirs)
        line = tuple(Spot(pid=pid, start_ticks=pid) for pid in pids)
        made: dict[str, Any] = {"pid": pids[0], "boot_id": "boot", "line": line, **fields}
        self._peers[ours] = Peer(**made)
        return ours

    def who(self, sock: socket.socket, token: str | None = None) -> Caller:
        """Identify."""
        return self.callers.identify(sock, None if token is None else f"Bearer {token}")

    def refused(self, sock: socket.socket | None, token: str | None = None) -> str:
        """Identify in vain; gives the words."""
        with pytest.raises(Refused) as refused:
            self.callers.identify(sock, None if token is None else f"Bearer {token}")
        assert refused.value.rejection.code is Code.NOT_ALLOWED
        return refused.value.rejection.detail


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Close what a test opened."""
    with ExitStack() as opened:
        yield opened


@pytest.fixture
def room(stack: ExitStack) -> Room:
    """Four nodes: a root with an agent, a child with a process, a grandchild, another child."""
    return Room(stack)


def test_a_person_at_a_terminal_may_grant(room: Room) -> None:
    """A process in nobody's territory, with a terminal, is the operator and may grant."""
    caller = room.who(room.connect(7, 6, 1, has_terminal=True))
    assert caller.is_operator
    assert caller.may_grant


def test_without_a_terminal_the_operator_may_not_grant(room: Room) -> None:
    """A script of the person's is the operator, and is told why it may not grant."""
    caller = room.who(room.connect(7, 6, 1))
    assert caller.is_operator
    assert not caller.may_grant
    assert "terminal" in caller.why


def test_configuration_lets_scripts_grant(stack: ExitStack) -> None:
    """With operator.headless a script may grant; a child still may not."""
    room = Room(stack, headless=True)
    assert room.who(room.connect(7, 6, 1)).may_grant
    assert not room.who(room.connect(7, 100, 1)).may_grant


def test_a_child_is_its_node_with_or_without_a_token(room: Room) -> None:
    """A process in a child's territory is that child; dropping the token does not help."""
    sock = room.connect(7, 100, 1, has_terminal=True)
    for token in (None, "t2"):
        caller = room.who(sock, token)
        assert caller.node_id == node_id(2)
        assert not caller.may_grant


def test_the_shell_of_a_persons_agent_is_the_root(room: Room) -> None:
    """What the agent of a root starts acts as the root and not as the person."""
    caller = room.who(room.connect(7, 50, 1, has_terminal=True))
    assert caller.node_id == node_id(1)


def test_a_token_narrows_the_operator(room: Room) -> None:
    """A process of the person's that shows a node's token calls as that node."""
    caller = room.who(room.connect(7, 1, has_terminal=True), "t4")
    assert caller.node_id == node_id(4)
    assert not caller.may_grant


def test_a_token_narrows_to_a_node_below(room: Room) -> None:
    """A process in a territory may act as a node below it, whose token it shows."""
    assert room.who(room.connect(7, 100, 1), "t3").node_id == node_id(3)
    assert room.who(room.connect(8, 50, 1), "t4").node_id == node_id(4)


@pytest.mark.parametrize("token", ["t1", "t4"])
def test_a_token_never_widens(room: Room, token: str) -> None:
    """The token of a parent or of a sibling, however it was come by, is refused."""
    assert "outside its territory" in room.refused(room.connect(7, 100, 1), token)


@pytest.mark.parametrize("header", ["Bearer nobody", "Bearer ", "Basic t2", "t2", ""])
def test_an_unknown_token_is_refused_outside_every_territory(room: Room, header: str) -> None:
    """Who shows a token came as less than the operator, and a bad one makes nobody more."""
    with pytest.raises(Refused):
        room.callers.identify(room.connect(7, 1, has_terminal=True), header)


def test_a_childs_ended_token_does_not_hide_who_it_is(room: Room) -> None:
    """A child that speaks after its token has ended is still known by its processes."""
    assert room.who(room.connect(7, 100, 1), "ended").node_id == node_id(2)


@pytest.mark.parametrize("problem", ["its process has ended", "it belongs to another user"])
def test_a_peer_that_cannot_be_placed_is_refused(room: Room, problem: str) -> None:
    """What cannot be shown to be in nobody's territory is not the operator, token or not."""
    sock = room.connect(7, 1, problem=problem, has_terminal=True)
    assert room.refused(sock) == problem
    assert room.refused(sock, "t2") == problem


def test_a_child_that_hides_its_environment_is_its_node(room: Room) -> None:
    """A problem with the peer does not matter where the kernel names its node."""
    assert room.who(room.connect(7, 100, 1, problem="hidden")).node_id == node_id(2)


def test_a_stray_child_is_refused(room: Room) -> None:
    """A process that a child started and that left every trace but that is nobody's voice."""
    assert "nothing tells which" in room.refused(room.connect(7, below_daemon=True))


def test_a_stray_child_with_mark_and_token_is_its_node(room: Room) -> None:
    """A process that was reparented proves its mark by the token that was beside it; a mark alone
    could be a sibling's.
    """
    sock = room.connect(7, below_daemon=True, marked=node_id(4))
    assert room.who(sock, "t4").node_id == node_id(4)
    assert "no token" in room.refused(sock)
    assert "no token" in room.refused(sock, "t2")


def test_a_mark_of_another_daemon_takes_granting_away(room: Room) -> None:
    """An agent of another daemon may look around here, and not grant."""
    caller = room.who(room.connect(7, 1, marked=node_id(99), has_terminal=True))
    assert caller.is_operator
    assert not caller.may_grant


def test_a_peer_is_looked_at_once_a_connection(room: Room) -> None:
    """Many messages of one connection cost one look, and give the very same caller."""
    sock = room.connect(7, 1)
    first = room.who(sock)
    assert all(room.who(sock) is first for _ in range(5))
    assert room.looks == 1


def test_a_number_taken_by_another_connection_is_looked_at_anew(room: Room) -> None:
    """When a descriptor is closed and its number comes back, nothing of the old one is believed."""
    old = room.connect(7, 1, has_terminal=True)
    assert room.who(old).is_operator
    number = old.fileno()
    old.close()
    new = room.connect(8, 100, 1)
    assert new.fileno() == number
    assert room.who(new).node_id == node_id(2)


def test_a_person_becomes_a_root_when_her_agent_is_recorded(room: Room) -> None:
    """A connection made before its agent's root was opened is narrowed from then on."""
    sock = room.connect(7, 70, 1, has_terminal=True)
    assert room.who(sock).is_operator
    event = RootResumed(node=node_id(1), agent=identity(70, 70), at_ms=AT_MS)
    room.territories.on_events((event,), room.tree)
    assert room.who(sock).node_id == node_id(1)
    assert room.looks == 1


def test_the_process_behind_a_caller_is_known(room: Room) -> None:
    """For a caller that was identified here its peer can be asked for, for no other."""
    caller = room.who(room.connect(7, 1))
    peer = room.callers.peer_of(caller)
    assert peer is not None
    assert peer.pid == 7
    assert room.callers.peer_of(Caller(why="made up")) is None


def test_a_connection_that_is_gone_is_refused(room: Room) -> None:
    """Without a socket nobody is calling."""
    sock = room.connect(7, 1)
    sock.close()
    assert "gone" in room.refused(sock)
    assert "gone" in room.refused(None)


def test_who_a_root_is_and_whether_its_process_runs_is_told(room: Room) -> None:
    """The refusals of what only a person does are made of it."""
    agent = identity(50, 50)
    room.tree = a_tree([a_node(1, None, identity=replace(agent, container=AGENT, name="code"))])
    caller = room.who(room.connect(7, 50, 1))
    assert f"in the territory of {node_id(1)}, which is process 50 (code)" in caller.why
    assert room.callers.runs(agent)
    assert not room.callers.runs(identity(51))
