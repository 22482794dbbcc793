"""S40 for Claude Code: each message counts once, turns add up, and silence is null."""

from typing import Any

import pytest

from tests.support.acting import FINAL, act, config
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for


def message(name: str, read: int) -> dict[str, Any]:
    """Tell a message, whose output has only begun."""
    usage = {"input_tokens": read, "output_tokens": 1, "cache_read_input_tokens": 7}
    return {"update": {"type": "assistant", "message": {"id": name, "usage": usage}}}


def used(read: int, wrote: int, cached: int) -> dict[str, Any]:
    """Tell what the turn used with its end."""
    return {
        "usage": {
            "input_tokens": read,
            "output_tokens": wrote,
            "cache_read_input_tokens": cached,
        }
    }


@pytest.mark.scenario("S40")
def test_messages_count_once_and_turns_add_up() -> None:
    """A message on two lines is one, its turn's figures are not added to it."""
    first = [message("m1", 100), message("m1", 100), message("m2", 50), used(150, 30, 14)]
    with Daemon(config=config(actor={"runner": "claude"})) as daemon:
        root = daemon.open()
        node = act(daemon, root, first, [message("m3", 60), FINAL, used(60, 9, 7)])
        row = wait_for(daemon, node, "released")
        measured = row["measuredTokens"]
        assert measured["input"] == 210
        assert measured["cacheRead"] == 21
        assert row["declaredTokenCap"] == 200_000
        silent = act(daemon, root, [FINAL])
        row = wait_for(daemon, silent, "released")
        assert row["measuredTokens"] is None
        check_closing(daemon)
