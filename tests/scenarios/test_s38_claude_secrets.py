"""S38 for Claude Code: keys in the errors of its provider, and in its own, go no further."""

from typing import Any, Final

import pytest

from tests.support.acting import act, config, envelope
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for

KEY: Final = "sk-ant-api03-Ab3dEf6hIj9lMn2pQr5tUv8xYz1BcD4EfG"
TRACE: Final = "Ab3dEf6h"
SAID: Final = f"Invalid API key {KEY} · Please run /login"
ENDS: Final[dict[str, list[dict[str, Any]]]] = {
    "result": [{"result": {"is_error": True, "result": SAID}}],
    "errors": [{"result": {"is_error": True, "errors": [SAID]}}],
    "far into it": [{"result": {"is_error": True, "result": f"{'x' * 1_000} {SAID}"}}],
    "noise": [{"print": f"{SAID}\n"}, {"exit": 1}],
    "stderr": [{"stderr": {"text": f"{SAID}\n"}}, {"exit": 1}],
    "last words": [{"result": {"result": SAID}}],
}


@pytest.mark.scenario("S38")
def test_no_key_leaves_the_agents_process() -> None:
    """Neither the operator's diagnostic nor the parent's message has any part of it."""
    with Daemon(config=config(actor={"runner": "claude"})) as daemon:
        root = daemon.open()
        nodes = [act(daemon, root, steps) for steps in ENDS.values()]
        for node in nodes:
            assert wait_for(daemon, node, "released")["outcome"] == "failed"
            assert TRACE not in str(envelope(daemon, node))
        shown = [envelope(daemon, node)["diagnostic"] for node in nodes]
        assert "Invalid API key [removed]" in shown[0]
        assert TRACE not in str(daemon.call("subsession.inbox", nodeId=root))
        check_closing(daemon)


@pytest.mark.scenario("S38")
def test_no_key_leaves_a_start_that_failed() -> None:
    """What it answered instead of coming up is the operator's, without the key."""
    refused = {"subtype": "error", "error": f"{'x' * 1_000} {SAID}"}
    with Daemon(config=config(actor={"runner": "claude", "initialize": refused})) as daemon:
        root = daemon.open()
        node = act(daemon, root, waitMs=0)
        assert wait_for(daemon, node, "released")["reason"] == "start-failed"
        assert "answered initialize with an error" in envelope(daemon, node)["diagnostic"]
        assert TRACE not in str(daemon.call("subsession.node", nodeId=node))
        assert TRACE not in str(daemon.call("subsession.inbox", nodeId=root))
        check_closing(daemon)
