"""S16 for ACP agents: errors are always drained, and their end is there when a child fails."""

import time

import pytest

from tests.support.acting import FINAL, act, config, envelope
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for

MIB = 1024 * 1024
FRAME = '{"jsonrpc":"2.0","id":3,"result":{"stopReason":"refusal"}}\n'
BEFORE = {"start": [{"stderr": {"text": "log line\n", "repeat": MIB // 9}}]}
FLOOD = {"stderr": {"text": "x", "repeat": MIB, "times": 10}}
BROKEN = {"stderr": {"hex": "ff".ljust(200, "f") + "0a"}}


@pytest.mark.scenario("S16")
def test_an_agent_that_floods_its_errors_is_not_held_up() -> None:
    """Handshake and turn end in normal time, and nothing of the errors is taken for protocol."""
    with Daemon(config=config(actor=BEFORE)) as daemon:
        began = time.monotonic()
        steps = [FLOOD, BROKEN, {"stderr": {"text": FRAME}}, FINAL]
        node = act(daemon, daemon.open(), steps)
        assert wait_for(daemon, node, "released")["outcome"] == "completed"
        assert time.monotonic() - began < 10.0
        check_closing(daemon)


@pytest.mark.scenario("S16")
def test_the_end_of_the_errors_is_in_the_diagnostic() -> None:
    """It is bounded text, whatever it was."""
    with Daemon(config=config(actor=BEFORE)) as daemon:
        steps = [FLOOD, BROKEN, {"stderr": {"text": "panic: é\n"}}, {"exit": 2}]
        node = act(daemon, daemon.open(), steps)
        assert wait_for(daemon, node, "released")["reason"] == "exit-status"
        diagnostic = envelope(daemon, node)["diagnostic"]
        assert diagnostic.endswith("panic: é")
        assert len(diagnostic.encode()) <= 4_096
        check_closing(daemon)
