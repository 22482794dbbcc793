"""S12: a closing result counts at once, whatever its process does afterwards."""

import time
from typing import Any

import pytest

from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.headless import ENDS, config, spawn
from tests.support.hire import wait_for

GRACE_S = 0.3
SPARE_S = 3.0
STUBBORN: tuple[dict[str, Any], ...] = ({"ignore": "SIGTERM"}, {"close": "done"}, {"sleep": 600})
LAST = {"line": {"type": "say", "text": "bye", "stop": "end_turn"}}
LATE: tuple[dict[str, Any], ...] = (
    {"close": "first"},
    {"sleep": 0.2},
    {"line": {"type": "error", "error": "late"}},
    {"close": {"is_error": True, "result": "second"}},
    {"exit": 7},
)


def quick() -> Daemon:
    """A daemon that asks for three hundred milliseconds before it kills."""
    tables = config(ends=ENDS)
    tables["subsessiond.toml"] += "[processes]\nterm_grace_ms = 300\n"
    return Daemon(config=tables)


@pytest.mark.scenario("S12")
def test_a_result_is_used_at_once_and_a_forced_end_is_noted() -> None:
    """The outcome stays completed though the process had to be killed after its grace."""
    with quick() as daemon:
        root = daemon.open()
        node = spawn(daemon, root, "ends", *STUBBORN)
        row = wait_for(daemon, node)
        assert (row["outcome"], row["reason"]) == ("completed", "final-report")
        settled = time.monotonic()
        row = wait_for(daemon, node, "released")
        assert time.monotonic() - settled <= GRACE_S + GRACE_S + SPARE_S
        assert row["outcome"] == "completed"
        assert daemon.call("subsession.node", nodeId=node)["envelope"]["forced"] is True
        check_closing(daemon)


@pytest.mark.scenario("S12")
def test_a_last_message_without_a_result_is_a_failure_after_the_grace() -> None:
    """The reason says that no closing event came."""
    with quick() as daemon:
        root = daemon.open()
        began = time.monotonic()
        node = spawn(daemon, root, "ends", LAST, {"sleep": 600})
        row = wait_for(daemon, node)
        assert GRACE_S <= time.monotonic() - began <= GRACE_S + SPARE_S
        assert (row["outcome"], row["reason"]) == ("failed", "no-closing-event")
        check_closing(daemon)


@pytest.mark.scenario("S12")
def test_nothing_after_the_result_changes_the_outcome() -> None:
    """Errors, another result and a bad status come too late."""
    with quick() as daemon:
        root = daemon.open()
        node = spawn(daemon, root, "ends", *LATE)
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"]) == ("completed", "final-report")
        (message,) = daemon.call("subsession.inbox", nodeId=root)["messages"]
        assert "first" in message["text"]
        check_closing(daemon)
