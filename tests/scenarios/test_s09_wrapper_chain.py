"""S09: killing the wrapper takes the worker with it, however the child comes to its end."""

import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.closing import check_closing, descriptors, marked
from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, HANDS, hire, wait_file, wait_for

CHAIN = Path(__file__).parents[1] / "support" / "agents" / "chain.sh"
GRACE_MS = 400
SPARE_S = 2.0
KINDS = ("strongest", "pidns", "descent")


def config(container: str = "strongest", **more: str) -> dict[str, str]:
    """A short grace, one kind of container."""
    main = f'[processes]\ncontainer = "{container}"\nterm_grace_ms = {GRACE_MS}\n'
    return {**CONFIG, "subsessiond.toml": main, **more}


def chain(daemon: Daemon, root: str, role: str = "check") -> tuple[str, Path]:
    """Start shell, launcher and worker, and wait until the worker writes."""
    node = hire(daemon, root, "sh", str(CHAIN), "shell", "beats", role=role)
    beats = daemon.workspace / "beats"
    wait_file(beats)
    assert len(marked([node])) >= 3
    return node, beats


def is_still(path: Path) -> bool:
    """Whether nothing is written to a file over several beats of the worker."""
    size = path.stat().st_size
    time.sleep(0.2)
    return path.stat().st_size == size


@pytest.mark.scenario("S09")
@pytest.mark.parametrize("container", KINDS)
def test_cancel_ends_the_whole_chain(container: str) -> None:
    """A cancelled wrapper, launcher and TERM-ignoring worker are all gone within the grace."""
    with Daemon(config=config(container)) as daemon:
        before = descriptors(daemon)
        node, beats = chain(daemon, daemon.open())
        began = time.monotonic()
        answer = daemon.call("subsession.cancel", nodeId=node)
        took = time.monotonic() - began
        assert marked([node]) == {}
        assert is_still(beats)
        assert took <= GRACE_MS / 1_000 + SPARE_S
        assert answer["nodes"] == [
            {"nodeId": node, "state": "released", "forced": True, "leftovers": []}
        ]
        shown = daemon.call("subsession.node", nodeId=node)
        assert shown["envelope"]["forced"] is True
        assert shown["row"]["outcome"] == "cancelled"
        check_closing(daemon, descriptors_before=before)


@pytest.mark.scenario("S09")
def test_a_polite_chain_is_not_forced() -> None:
    """A child that leaves when it is asked is reported as not forced."""
    with Daemon(config=config()) as daemon:
        node = hire(daemon, daemon.open(), "sh", "-c", "sleep 600")
        (row,) = daemon.call("subsession.cancel", nodeId=node)["nodes"]
        assert row["forced"] is False
        check_closing(daemon)


@pytest.mark.scenario("S09")
def test_the_sweep_ends_the_whole_chain() -> None:
    """A chain that is retired as silent is gone within the grace, and its node says it was."""
    roles = HANDS.replace("[check]\n", "[check]\ntool_timeout_ms = 1\n")
    with Daemon(config=config(**{"roles.toml": roles})) as daemon:
        root = daemon.open()
        other = hire(daemon, root, "true", role="hand")
        wait_for(daemon, other, "released")
        node, beats = chain(daemon, root)
        # Why a succession: it begins with a sweep, and nothing has to wait for the timer.
        daemon.call("subsession.succeed", childId=other)
        began = time.monotonic()
        row: dict[str, Any] = wait_for(daemon, node, "released")
        assert time.monotonic() - began <= GRACE_MS / 1_000 + SPARE_S
        assert (row["outcome"], row["reason"]) == ("failed", "retired-silent")
        assert marked([node]) == {}
        assert is_still(beats)
        assert daemon.call("subsession.node", nodeId=node)["envelope"]["forced"] is True
        check_closing(daemon)


@pytest.mark.scenario("S09")
@pytest.mark.parametrize("container", KINDS)
def test_stopping_the_daemon_ends_the_whole_chain(container: str) -> None:
    """A stopped daemon leaves nothing of a chain behind, and remembers that it took force."""
    with Daemon(config=config(container)) as daemon:
        node, beats = chain(daemon, daemon.open())
        began = time.monotonic()
        assert daemon.stop() == 0
        assert time.monotonic() - began <= GRACE_MS / 1_000 + SPARE_S
        assert marked([node]) == {}
        assert is_still(beats)
        daemon.start()
        shown = daemon.call("subsession.node", nodeId=node)
        assert shown["row"]["reason"] == "daemon-stopped"
        assert shown["envelope"]["forced"] is True
        check_closing(daemon)
