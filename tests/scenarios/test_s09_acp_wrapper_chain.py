"""S09 for ACP agents: behind wrappers, deaf to TERM and to the end of their input, they go all."""

import time
from pathlib import Path

import pytest

from tests.support.acting import act, config
from tests.support.closing import check_closing, descriptors, marked
from tests.support.daemon import Daemon
from tests.support.hire import wait_file, wait_for

GRACES_S = 2.0 + 1.0 + 0.4
"""For the cancelled turn, for the end of input, and after TERM."""
SPARE_S = 2.0
LAUNCHERS = ["sh", "-c", '"$0" "$@"; true', "sh", "-c", '"$0" "$@"; true']
BEATS = ["sh", "-c", "trap '' TERM; while :; do echo x >>beats; sleep 0.1; done"]
STEPS = [{"start": BEATS}, {"until_cancel": 1}, {"hang": 1}]


def is_still(path: Path) -> bool:
    """Whether nothing is written to a file over several beats of the worker."""
    size = path.stat().st_size
    time.sleep(0.3)
    return path.stat().st_size == size


@pytest.mark.scenario("S09")
@pytest.mark.parametrize("ignores", [False, True])
@pytest.mark.parametrize("way", ["cancel", "stop"])
def test_an_agent_behind_wrappers_goes_with_all_it_started(way: str, ignores: bool) -> None:
    """Whether or not it answers the cancelled turn, it is asked, then killed within the graces."""
    kind = {"before": LAUNCHERS, "ignores_cancel": ignores, "start": [{"deaf": 1}]}
    with Daemon(config=config(actor=kind)) as daemon:
        before = descriptors(daemon)
        node = act(daemon, daemon.open(), STEPS)
        wait_file(daemon.workspace / "beats")
        assert len(marked([node])) >= 4
        began = time.monotonic()
        if way == "stop":
            daemon.stop()
        else:
            (answer,) = daemon.call("subsession.cancel", nodeId=node)["nodes"]
            assert (answer["state"], answer["forced"]) == ("released", True)
        assert time.monotonic() - began <= GRACES_S + SPARE_S
        assert marked([node]) == {}
        assert is_still(daemon.workspace / "beats")
        if way == "stop":
            daemon.start()
        check_closing(daemon, descriptors_before=before if way == "cancel" else None)


@pytest.mark.scenario("S09")
def test_a_silent_agent_is_retired_with_all_it_started() -> None:
    """The sweep ends the whole chain too, and says why."""
    kind = {"before": LAUNCHERS, "retire_ms": 1_000, "start": [{"deaf": 1}]}
    with Daemon(config=config(actor=kind)) as daemon:
        node = act(daemon, daemon.open(), STEPS)
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["reason"]) == ("failed", "retired-silent")
        assert marked([node]) == {}
        assert is_still(daemon.workspace / "beats")
        check_closing(daemon)
