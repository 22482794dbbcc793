"""Whom an MCP bridge serves: real chains of processes, as launchers and shells make them."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from subsessiond.adapters.peers import LinuxPeers
from subsessiond.adapters.peers.bridge import is_host
from subsessiond.model.process import Identity
from subsessiond.rpc.territories import Territories
from tests.contract.peers.conftest import CALLER, NOBODY, Door
from tests.support.trees import a_node, a_tree

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")


def a_bridge(folder: Path) -> str:
    """Make a program whose command line reads as the MCP bridge's."""
    script = folder / "subsession"
    script.symlink_to(CALLER)
    return str(script)


AGENT = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"


def test_the_agent_above_a_bridge_is_named_past_launchers(door: Door, tmp_path: Path) -> None:
    """Shells that run one command and launchers are passed; what started them is the agent."""
    bridge = f"exec env {sys.executable} {a_bridge(tmp_path)} mcp {door.path}; true"
    agent = door.start(sys.executable, "-c", AGENT, "sh", "-c", f"sh -c '{bridge}'; true")
    peer = LinuxPeers(NOBODY).look(door.accept())
    assert peer.agent is not None
    assert (peer.agent.pid, peer.agent.boot_id) == (agent.pid, peer.boot_id)
    node = a_node(2, identity=peer.agent)
    found = Territories(a_tree([a_node(1, None), node])).find(peer)
    assert found.node_id == node.node_id


RETITLED = """
import ctypes, subprocess, sys
# What node does for `process.title`: it writes over its own arguments, whose length stays.
title = sys.argv[1].encode()
size = len(open("/proc/self/cmdline", "rb").read())
start = int(open("/proc/self/stat").read().rpartition(")")[2].split()[45])
ctypes.memmove(start, title.ljust(size, b"\\0"), size)
sys.exit(subprocess.call(sys.argv[2:]))
"""


@pytest.mark.parametrize(
    "launcher",
    [
        ("{python}", "-c", RETITLED, "npm exec @me/tool --flag"),
        ("timeout", "60"),
        ("{python}", "-m", "uv", "run"),
        ("{python}", "npx"),
        ("{folder}/uv", "tool", "run"),
        ("env", "-i"),
        ("nice", "setsid", "--wait"),
    ],
    ids=["retitled", "timeout", "module", "script", "native", "exec", "exec-twice"],
)
def test_a_launcher_is_not_taken_for_the_agent(
    door: Door, tmp_path: Path, launcher: tuple[str, ...]
) -> None:
    """However a launcher looks in the list of processes, what started it is the agent."""
    stand_in = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"
    for name in ("uv.py", "npx"):
        skipped = stand_in if name == "npx" else stand_in.replace("argv[1:]", "argv[2:]")
        (tmp_path / name).write_text(skipped)
    native = tmp_path / "uv"
    native.write_text(f"#!{sys.executable}\n{stand_in.replace('argv[1:]', 'argv[3:]')}\n")
    native.chmod(0o700)
    words = [word.replace("{folder}", str(tmp_path)) for word in launcher]
    words = [sys.executable if word == "{python}" else word for word in words]
    words = [str(tmp_path / "npx") if word == "npx" else word for word in words]
    bridge = (sys.executable, a_bridge(tmp_path), "mcp", door.path)
    agent = door.start(sys.executable, "-c", AGENT, *words, *bridge, PYTHONPATH=str(tmp_path))
    peer = LinuxPeers(NOBODY).look(door.accept())
    assert peer.agent is not None
    assert peer.agent.pid == agent.pid


def test_a_bridge_whose_agent_is_gone_is_its_own_territory(door: Door, tmp_path: Path) -> None:
    """It was forked away from whatever started it; it is a root's bridge all the same."""
    script = a_bridge(tmp_path)
    door.start(sys.executable, script, "mcp", door.path, "orphan")
    peer = LinuxPeers(NOBODY).look(door.accept())
    assert peer.agent is not None
    assert peer.agent.pid == peer.pid


def test_a_bridge_is_named_too_and_may_stand_for_itself(door: Door, tmp_path: Path) -> None:
    """Where the settings say so nothing above it is asked for."""
    bridge = (sys.executable, a_bridge(tmp_path), "mcp", door.path)
    agent = door.start(sys.executable, "-c", AGENT, *bridge)
    sock = door.accept()
    seen, alone = (LinuxPeers(NOBODY, bridges_alone=one).look(sock) for one in (False, True))
    assert seen.agent is not None
    assert seen.bridge is not None
    assert (seen.agent.pid, seen.agent.container, seen.agent.name[:6]) == (
        agent.pid,
        "agent",
        "python",
    )
    assert (seen.bridge.pid, seen.bridge.container) == (seen.pid, "bridge")
    assert alone.agent is not None
    assert (alone.agent.process, alone.agent.container) == (seen.bridge.process, "agent")


def test_a_process_runs_until_it_ends(door: Door) -> None:
    """Also while nobody has looked at its end; another of its number is another."""
    peers = LinuxPeers(NOBODY)
    process, sock = door.call()
    spot = peers.look(sock).line[0]
    identity = Identity(
        pid=spot.pid,
        start_ticks=spot.start_ticks,
        boot_id=peers.look(sock).boot_id,
        container="agent",
        marker="",
    )
    assert peers.runs(identity)
    assert not peers.runs(replace(identity, start_ticks=spot.start_ticks + 1))
    assert not peers.runs(replace(identity, boot_id="another"))
    sock.shutdown(socket.SHUT_WR)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert not peers.runs(identity)
    process.wait(10)
    assert not peers.runs(identity)


@pytest.mark.parametrize(
    ("words", "is_one"),
    [
        (("/usr/lib/systemd/systemd", "--user"), True),
        (("tmux: server",), True),
        (("tmux", "new", "-s", "x"), True),
        (("sshd: user@pts/0",), True),
        (("/sbin/init",), True),
        (("/usr/share/code/code", "--type=utility"), False),
        (("claude",), False),
        (("python3", "systemd"), False),
    ],
)
def test_what_holds_a_whole_session_is_no_agent(words: tuple[str, ...], is_one: bool) -> None:
    """It takes in whoever lost its parent, and all of the person's programs run below it."""
    assert is_host(words) is is_one


def test_a_shell_where_a_person_sits_is_no_agent(door: Door, tmp_path: Path) -> None:
    """A bridge started by hand is its own territory: the person's shell is not given away."""
    line = f"{sys.executable} {a_bridge(tmp_path)} mcp {door.path}\n"
    shell = subprocess.Popen(["sh"], stdin=subprocess.PIPE, env={"PATH": os.environ["PATH"]})
    assert shell.stdin is not None
    shell.stdin.write(line.encode())
    shell.stdin.close()
    try:
        sock = door.accept()
        peer = LinuxPeers(NOBODY).look(sock)
        assert peer.agent is not None
        assert peer.agent.pid == peer.pid != shell.pid
    finally:
        sock.shutdown(socket.SHUT_WR)
        shell.wait(10)
