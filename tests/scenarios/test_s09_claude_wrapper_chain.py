"""S09 for Claude Code: behind wrappers, deaf to TERM and to the end of its input, it goes whole."""

import time

import pytest

from tests.support.acting import act, config
from tests.support.closing import check_closing, descriptors, marked
from tests.support.daemon import Daemon
from tests.support.hire import wait_file

GRACES_S = 2.0 + 1.0 + 0.4
"""For the interrupted turn, for the end of input, and after TERM."""
SPARE_S = 2.0
LAUNCHERS = ["sh", "-c", '"$0" "$@"; true', "sh", "-c", '"$0" "$@"; true']
BEATS = ["sh", "-c", "trap '' TERM; while :; do echo x >>beats; sleep 0.1; done"]


@pytest.mark.scenario("S09")
@pytest.mark.parametrize("ignores", [False, True])
def test_an_agent_behind_wrappers_goes_with_all_it_started(ignores: bool) -> None:
    """Whether or not it ends the interrupted turn, it is asked, then killed within the graces."""
    more = {"ignores_cancel": ignores, "start": [{"deaf": 1}]}
    kind = {"runner": "claude", "before": LAUNCHERS, **more}
    with Daemon(config=config(actor=kind)) as daemon:
        before = descriptors(daemon)
        node = act(daemon, daemon.open(), [{"start": BEATS}, {"until_cancel": 1}, {"hang": 1}])
        wait_file(daemon.workspace / "beats")
        assert len(marked([node])) >= 4
        began = time.monotonic()
        (answer,) = daemon.call("subsession.cancel", nodeId=node)["nodes"]
        assert (answer["state"], answer["forced"]) == ("released", True)
        assert time.monotonic() - began <= GRACES_S + SPARE_S
        assert marked([node]) == {}
        check_closing(daemon, descriptors_before=before)
