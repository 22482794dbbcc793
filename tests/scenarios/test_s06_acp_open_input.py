"""S06 for ACP agents: the input of a protocol stays open until the child has settled."""

import os
import sys

import pytest

from tests.support.acting import FINAL, act, config, heard
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_file, wait_for

OPEN_STDIN = (
    "import os,sys; r,w=os.pipe(); os.dup2(r,0); os.set_inheritable(w,True);"
    "os.execvp(sys.argv[1], sys.argv[1:])"
)


@pytest.mark.scenario("S06")
def test_the_input_stays_open_until_the_child_settles() -> None:
    """It is a pipe of its own, not the daemon's, and ends only with the child."""
    before = (sys.executable, "-c", OPEN_STDIN)
    with Daemon(config=config(actor={}), before=before) as daemon:
        assert daemon.process is not None
        own = os.readlink(f"/proc/{daemon.process.pid}/fd/0")
        root = daemon.open()
        look = {"shell": ["sh", "-c", "readlink /proc/$PPID/fd/0 >input"]}
        node = act(daemon, root, [look, {"wait_file": "go"}, FINAL])
        theirs = wait_file(daemon.workspace / "input").strip()
        assert theirs.startswith("pipe:")
        assert theirs != own
        assert {"got": "end of input"} not in heard(daemon, node)
        (daemon.workspace / "go").touch()
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        assert heard(daemon, node)[-1] == {"got": "end of input"}
        check_closing(daemon)
