"""Who is found above a process that attaches an agent by its shell."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.peers.conftest import Door
from tests.contract.peers.test_bridges import AGENT, a_bridge
from tests.contract.peers.test_peers import seen

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")


def test_an_agent_that_attaches_itself_is_named_and_a_persons_shell_is_not(
    door: Door, tmp_path: Path
) -> None:
    """By its shell an agent names itself; where a person types nobody is above."""
    words = f"{sys.executable} {a_bridge(tmp_path)} attach {door.path}"
    agent = door.start(sys.executable, "-c", AGENT, "sh", "-c", f"{words}; true")
    peer = seen(door.accept())
    assert peer.agent is not None
    assert peer.agent.pid == agent.pid
    shell = subprocess.Popen(["sh"], stdin=subprocess.PIPE, env={"PATH": os.environ["PATH"]})
    assert shell.stdin is not None
    shell.stdin.write(f"{words}\n".encode())
    shell.stdin.close()
    try:
        sock = door.accept()
        assert seen(sock).agent is None
    finally:
        sock.shutdown(socket.SHUT_WR)
        shell.wait(10)
