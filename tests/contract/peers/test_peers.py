"""What is seen of a caller's process: real processes, in every way they can be started."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from subsessiond.adapters.peers import LinuxPeers, PlainPeers, system_peers
from subsessiond.adapters.processes.proc import ProcTable
from subsessiond.model.ids import NodeId
from subsessiond.model.peer import Peer
from subsessiond.model.process import Identity
from subsessiond.rpc.territories import Territories
from tests.contract.peers.conftest import CALLER, NOBODY, Door
from tests.support.trees import a_node, a_tree, node_id

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")

NODE = node_id(2)
MARK = {"SUBSESSION_NODE": NODE}


def seen(sock: socket.socket, daemon_pid: int = NOBODY) -> Peer:
    """Look at a caller."""
    return LinuxPeers(daemon_pid).look(sock)


def owner_of(peer: Peer, identity: Identity | None) -> NodeId | None:
    """Tell to whom a caller belongs when one node's process is recorded."""
    node = a_node(2, identity=identity)
    return Territories(a_tree([a_node(1, None), node])).find(peer).node_id


def identity_of(pid: int) -> Identity:
    """Record a process as the adapter that starts children does."""
    table = ProcTable()
    try:
        stat = table.stat(pid)
        assert stat is not None
        return Identity(
            pid=pid,
            start_ticks=stat.start_ticks,
            boot_id=table.boot_id,
            container="descent",
            marker="",
        )
    finally:
        table.close()


def test_a_caller_is_named_with_its_ancestors(door: Door) -> None:
    """The kernel names the process, and the line goes from it through us up to the first one."""
    process, sock = door.call()
    peer = seen(sock)
    pids = [spot.pid for spot in peer.line]
    assert pids[:2] == [process.pid, os.getpid()]
    assert peer.problem == ""
    assert peer.line[0].start_ticks == identity_of(process.pid).start_ticks
    assert not peer.below_daemon


def test_a_child_of_a_recorded_process_is_found(door: Door) -> None:
    """A caller below a recorded process belongs to that node, in another session too."""
    process, sock = door.call("below", "setsid", "clean")
    assert owner_of(seen(sock), identity_of(process.pid)) == NODE


def test_a_caller_without_mark_belongs_to_nobody(door: Door) -> None:
    """A process that no record, container or mark speaks of is found to be nobody's."""
    _, sock = door.call()
    assert owner_of(seen(sock), None) is None


def test_an_orphan_is_found_by_its_mark(door: Door) -> None:
    """A caller that was forked twice in a session of its own is known by its environment."""
    process, sock = door.call("orphan", "setsid", "orphan", **MARK)
    peer = seen(sock)
    assert process.pid not in [spot.pid for spot in peer.line]
    assert peer.marked == NODE
    assert owner_of(peer, None) == NODE


def test_a_mark_of_an_ancestor_counts(door: Door) -> None:
    """A caller that dropped its environment is still marked by the process that started it."""
    _, sock = door.call("below", "clean", **MARK)
    assert seen(sock).marked == NODE


def test_what_is_below_the_daemon_is_told(door: Door) -> None:
    """Whatever a child does to its traces, it stays below the daemon that holds its descent; what
    stands above the daemon says nothing about it.
    """
    process, sock = door.call("clean", **MARK)
    peer = seen(sock, os.getpid())
    assert peer.below_daemon
    assert [spot.pid for spot in peer.line] == [process.pid]
    assert not peer.has_terminal


def test_the_daemon_itself_is_not_below_itself(door: Door) -> None:
    """A connection from the daemon's own process is the person's, as far as descent goes."""
    with socket.socket(socket.AF_UNIX) as ours:
        ours.connect(door.path)
        peer = seen(door.accept(), os.getpid())
    assert peer.pid == os.getpid()
    assert not peer.below_daemon


def test_a_caller_that_has_ended_is_refused(door: Door) -> None:
    """A process that connected and ended cannot be looked at any more, nor taken for another."""
    process, sock = door.call("leave")
    process.wait(10)
    assert seen(sock).problem == "its process has ended"


def test_a_connection_that_was_inherited_is_refused(door: Door) -> None:
    """When the process that connected has ended, its child does not speak in its name."""
    process, sock = door.call("inherit")
    process.wait(10)
    assert seen(sock).problem == "its process has ended"


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every environment")
def test_a_caller_that_hides_is_refused(door: Door) -> None:
    """A process whose environment cannot be read cannot be shown to be nobody's child."""
    _, sock = door.call("hide", **MARK)
    assert seen(sock).problem == "its environment cannot be read"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root starts processes of other users")
def test_a_caller_of_another_user_is_refused(door: Door, tmp_path: Path) -> None:
    """A process of another user is not the person, whatever the socket's permissions say."""
    if shutil.which("setpriv") is None:
        pytest.skip("setpriv is not installed")
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(folder.stat().st_mode | 0o755)
    os.chmod(door.path, 0o777)
    door.start("setpriv", "--reuid=65534", "--clear-groups", sys.executable, str(CALLER), door.path)
    assert seen(door.accept()).problem == "it belongs to another user"


def can_make_namespaces() -> bool:
    """Tell whether this user may start a process namespace."""
    if shutil.which("unshare") is None:
        return False
    tried = subprocess.run(
        ["unshare", "--pid", "--fork", "--kill-child", "true"], capture_output=True, check=False
    )
    return tried.returncode == 0


@pytest.mark.skipif(not can_make_namespaces(), reason="this user cannot make namespaces")
def test_a_caller_in_another_namespace_is_refused_unless_it_is_a_childs(door: Door) -> None:
    """A process of a foreign namespace is refused; one of a recorded child's belongs to it."""
    unshare = ("unshare", "--pid", "--fork", "--kill-child")
    process = door.start(*unshare, sys.executable, str(CALLER), door.path)
    peer = seen(door.accept())
    assert peer.problem == "its process lives in another process namespace"
    assert owner_of(peer, identity_of(process.pid)) == NODE


def test_a_person_has_a_terminal(door: Door) -> None:
    """A caller on a terminal whose session began with one of its ancestors has a terminal."""
    _, sock = door.call("terminal", "below")
    assert seen(sock).has_terminal


@pytest.mark.parametrize("steps", [(), ("below", "setsid"), ("terminal", "below", "setsid")])
def test_a_caller_without_terminal_has_none(door: Door, steps: tuple[str, ...]) -> None:
    """No terminal, or a session of its own without one, is no terminal."""
    process = door.start("setsid", "--wait", sys.executable, str(CALLER), door.path, *steps)
    assert process.pid
    assert not seen(door.accept()).has_terminal


def test_who_detached_itself_from_a_session_has_no_terminal(door: Door) -> None:
    """A process that lives on in a terminal's session, but not below who began that session, was
    put into the background by somebody: it is no person at a terminal.
    """
    _, sock = door.call("terminal", "below", "orphan")
    peer = seen(sock)
    assert not peer.has_terminal


def test_who_is_no_bridge_has_no_agent(door: Door) -> None:
    """A command line that is not the bridge's gives nobody's agent away."""
    _, sock = door.call()
    assert seen(sock).agent is None


def test_looking_leaves_no_descriptor_open(door: Door) -> None:
    """However often one looks, and at whom, no descriptor stays."""
    process, gone = door.call("leave")
    process.wait(10)
    _, there = door.call()
    peers = LinuxPeers(NOBODY)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        peers.look(gone)
        peers.look(there)
    assert len(os.listdir("/proc/self/fd")) == before


def test_this_system_is_looked_at_in_its_own_way() -> None:
    """Linux misses nothing; where there is no /proc, what is missing is said in words."""
    assert isinstance(system_peers(), LinuxPeers)
    assert LinuxPeers.missing == ()
    assert len(PlainPeers.missing) == 2


def test_without_proc_a_peer_that_is_not_told_is_a_problem(door: Door) -> None:
    """Where the system does not name the peer it is not taken for the person."""
    _, sock = door.call()
    assert PlainPeers().look(sock).problem
