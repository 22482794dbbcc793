"""S15 for Claude Code: long lines are read, too long ones cost only themselves."""

import json

import pytest

from tests.support.acting import FINAL, act, config, envelope, prompts
from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import wait_for

MIB = 1024 * 1024
LONG = [{"line": size} for size in (65_535, 65_536, 65_537, MIB, 15 * MIB)]


@pytest.mark.scenario("S15")
def test_long_lines_are_read_and_one_that_is_too_long_costs_only_itself() -> None:
    """The question right after 40 MiB of one line is answered."""
    ask = {"ask": [{"subtype": "brand_new"}]}
    with Daemon(config=config(actor={"runner": "claude"})) as daemon:
        root = daemon.open()
        end = {"result": {"stop_reason": "refusal"}}
        node = act(daemon, root, [*LONG, ask, {"junk": 40 * MIB}, ask, end])
        wait_for(daemon, node, "released")
        shown = envelope(daemon, node)
        assert shown["reason"] == "refusal"
        assert "lines that were too long and not read: 1" in shown["diagnostic"]
        assert "no protocol" not in shown["diagnostic"]
        good = act(daemon, root, [*LONG, FINAL])
        assert wait_for(daemon, good, "released")["outcome"] == "completed"
        check_closing(daemon)


@pytest.mark.scenario("S15")
def test_a_last_line_without_its_end_is_used() -> None:
    """What it said last counts, though it left in the middle of the line."""
    last = {"type": "result", "is_error": True, "api_error": "max_output_tokens"}
    with Daemon(config=config(actor={"runner": "claude"})) as daemon:
        node = act(daemon, daemon.open(), [{"print": json.dumps(last)}, {"exit": 0}])
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"]) == ("failed", "max-tokens")
        assert len(prompts(daemon, node)) == 1
        check_closing(daemon)
