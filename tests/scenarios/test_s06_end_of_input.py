"""S06 for headless agents: the brief is all there is to read, and its end is seen at once.

An agent that is prompted keeps its input until it settles; its own tests show that.
"""

import os
import sys
import time

import pytest

from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.headless import ENDS, config, spawn
from tests.support.hire import wait_for

WITHIN_S = 2.0
OPEN_STDIN = (
    "import os,sys; r,w=os.pipe(); os.dup2(r,0); os.set_inheritable(w,True);"
    "os.execvp(sys.argv[1], sys.argv[1:])"
)


@pytest.mark.scenario("S06")
@pytest.mark.parametrize("brief_by", ["stdin", "argument"])
def test_a_headless_agent_sees_the_end_of_its_input(brief_by: str) -> None:
    """However the brief comes, an agent that reads to the end gets there within two seconds."""
    tables = config(ends=f'{ENDS}\nbrief_by = "{brief_by}"')
    with Daemon(config=tables, before=(sys.executable, "-c", OPEN_STDIN)) as daemon:
        assert daemon.process is not None
        own = os.readlink(f"/proc/{daemon.process.pid}/fd/0")
        assert own.startswith("pipe:")
        root = daemon.open()
        began = time.monotonic()
        node = spawn(daemon, root, "ends", {"where": 1}, {"close": {}})
        wait_for(daemon, node)
        assert time.monotonic() - began <= WITHIN_S
        (message,) = daemon.call("subsession.inbox", nodeId=root)["messages"]
        assert message["source"] == "subagent-report"
        assert own not in message["text"]
        check_closing(daemon)
