"""S15 for ACP agents: long lines are read, too long ones cost only themselves."""

import json
from pathlib import Path

import pytest

from tests.support.acting import FINAL, act, config, envelope, prompts
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for

MIB = 1024 * 1024
LONG = [{"line": size} for size in (65_535, 65_536, 65_537, MIB, 15 * MIB)]
LIMIT_MIB = 150
"""What the daemon may hold at its height: far below what the dropped line alone would be twice."""


def peak_mib(daemon: Daemon) -> int:
    """Give the most memory the daemon ever held."""
    assert daemon.process is not None
    status = Path(f"/proc/{daemon.process.pid}/status").read_text()
    (line,) = [row for row in status.splitlines() if row.startswith("VmHWM:")]
    return int(line.split()[1]) // 1024


@pytest.mark.scenario("S15")
def test_long_lines_are_read_and_one_that_is_too_long_costs_only_itself() -> None:
    """The frame right after 40 MiB of one line is answered, and memory stays near the limit."""
    ask = {"ask": [{"method": "fs/read_text_file", "params": {"path": "none"}}]}
    with Daemon(config=config(actor={})) as daemon:
        root = daemon.open()
        node = act(daemon, root, [*LONG, ask, {"junk": 40 * MIB}, ask, {"stop": "refusal"}])
        wait_for(daemon, node, "released")
        shown = envelope(daemon, node)
        assert shown["reason"] == "refusal"
        assert "lines that were too long and not read: 1" in shown["diagnostic"]
        assert "no protocol" not in shown["diagnostic"]
        assert peak_mib(daemon) < LIMIT_MIB
        good = act(daemon, root, [*LONG, FINAL])
        assert wait_for(daemon, good, "released")["outcome"] == "completed"
        check_closing(daemon)


@pytest.mark.scenario("S15")
def test_a_last_frame_without_its_line_end_is_used() -> None:
    """What an agent said last counts, though it left in the middle of the line."""
    last = {"jsonrpc": "2.0", "id": 3, "result": {"stopReason": "max_tokens"}}
    with Daemon(config=config(actor={})) as daemon:
        node = act(daemon, daemon.open(), [{"print": json.dumps(last)}, {"exit": 0}])
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"]) == ("failed", "max-tokens")
        assert len(prompts(daemon, node)) == 1
        check_closing(daemon)
