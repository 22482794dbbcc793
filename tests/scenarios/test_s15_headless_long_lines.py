"""S15 for headless agents: long lines are read whole, too long ones dropped, the last one used."""

import re
from pathlib import Path

import pytest

from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.headless import ENDS, config, spawn
from tests.support.hire import wait_for

SIZES = (65_535, 65_536, 65_537, 1024 * 1024)
OVER = 40 * 1024 * 1024
LIMIT_MIB = 16
LAST = '{"type": "result", "result": "read to the end"}'


def peak_mib(daemon: Daemon) -> int:
    """Give the most memory a daemon ever held."""
    assert daemon.process is not None
    status = Path(f"/proc/{daemon.process.pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) // 1024


@pytest.mark.scenario("S15")
def test_a_headless_agent_may_print_lines_of_any_length() -> None:
    """What follows a dropped line is read right, an object without its end counts."""
    with Daemon(config=config(ends=ENDS)) as daemon:
        root = daemon.open()
        before = peak_mib(daemon)
        longs = [{"long": size} for size in (*SIZES, OVER)]
        used = {"line": {"type": "say", "text": "x", "id": "m", "usage": {"in": 3}}}
        node = spawn(daemon, root, "ends", *longs, used, {"raw": LAST})
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["measuredTokens"]["input"]) == ("completed", 3)
        (message,) = daemon.call("subsession.inbox", nodeId=root)["messages"]
        assert "read to the end" in message["text"]
        assert peak_mib(daemon) - before <= 3 * LIMIT_MIB
        failed = spawn(daemon, root, "ends", {"say": "a"}, {"long": OVER}, {"exit": 4})
        wait_for(daemon, failed, "released")
        envelope = daemon.call("subsession.node", nodeId=failed)["envelope"]
        assert "too long and not read: 1" in envelope["diagnostic"]
        check_closing(daemon)
