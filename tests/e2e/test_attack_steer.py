"""What is said to a child reaches it once, on whichever way it comes first."""

import json
from collections import Counter
from typing import Any

from subsession.errors import Refused
from tests.support.acting import FINAL, act, config, heard
from tests.support.daemon import Daemon
from tests.support.hire import wait_file, wait_for

CALLS = 100
STEERS = 40


def said_of(entry: dict[str, Any]) -> str:
    """Give what a child was told by one thing it wrote down: a prompt, or a tool's answer."""
    got = entry.get("got")
    prompted = isinstance(got, dict) and got.get("method") == "session/prompt"
    return json.dumps(got if prompted else entry.get("said", ""))


def test_a_steer_beside_calls_of_tools_is_read_once() -> None:
    """Into an agent that takes words in a turn, and calls its tools all the while."""
    with Daemon(config=config(actor={"profile": "merges_prompts = true"})) as daemon:
        begun, go = daemon.workspace / "begun", daemon.workspace / "go"
        # Why no good call: it is answered without waiting for the disk.
        calls: list[dict[str, object]] = [{"tool": {"subsession_checkpoint": {}}}] * CALLS
        turn = [{"shell": ["sh", "-c", "echo 1 >begun"]}, *calls, {"wait_file": str(go)}, FINAL]
        node = act(daemon, daemon.open(), turn)
        wait_file(begun)
        names = []
        with daemon.client() as client:
            for n in range(STEERS):
                try:
                    client.call("subsession.steer", {"nodeId": node, "text": f"WORD-{n}-END"})
                except Refused:
                    break  # as many as may wait unread
                names.append(f"WORD-{n}-END")
        go.touch()
        wait_for(daemon, node, "released")
        told = [said_of(entry) for entry in heard(daemon, node)]
        counted = Counter(name for name in names for text in told if name in text)
        assert counted == Counter(names)
        assert len(names) > 1
