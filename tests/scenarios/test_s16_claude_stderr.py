"""S16 for Claude Code: errors are always drained, and their end is there when a child fails."""

import time

import pytest

from tests.support.acting import FINAL, act, config, envelope
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for

MIB = 1024 * 1024
LINE = '{"type":"result","is_error":true}\n'
BEFORE = {"runner": "claude", "start": [{"stderr": {"text": "log line\n", "repeat": MIB // 9}}]}
FLOOD = {"stderr": {"text": "x", "repeat": MIB, "times": 10}}


@pytest.mark.scenario("S16")
def test_an_agent_that_floods_its_errors_is_not_held_up() -> None:
    """Nothing of the errors is taken for protocol; their end is in the diagnostic, bounded."""
    with Daemon(config=config(actor=BEFORE)) as daemon:
        root = daemon.open()
        began = time.monotonic()
        node = act(daemon, root, [FLOOD, {"stderr": {"text": LINE}}, FINAL])
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        assert time.monotonic() - began < 10.0
        failed = act(daemon, root, [FLOOD, {"stderr": {"text": "panic: é\n"}}, {"exit": 2}])
        assert wait_for(daemon, failed, "released")["reason"] == "exit-status"
        diagnostic = envelope(daemon, failed)["diagnostic"]
        assert diagnostic.endswith("panic: é")
        assert len(diagnostic.encode()) <= 4_096
        check_closing(daemon)
