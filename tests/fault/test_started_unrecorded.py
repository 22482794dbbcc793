"""A program that runs already, of a child whose start the daemon did not live to write down."""

import time

import pytest

from tests.support.closing import check_closing, within
from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, wait_file, wait_for
from tests.support.living import living

STOP_DAEMON_FIRST = "kill -STOP {pid}; echo $$ >up.new; mv up.new up; exec {then}"
HIDDEN = "env -i setsid sleep {marker}"
DETACHED = "setsid sleep {marker}"


@pytest.mark.parametrize(
    ("container", "then"),
    [(kind, then) for kind in ("strongest", "pidns", "descent") for then in (HIDDEN, DETACHED)],
)
def test_what_started_unrecorded_is_ended_by_the_next_daemon(container: str, then: str) -> None:
    """Stopped by the child's first act and killed, the daemon leaves nothing its heir misses."""
    marker = f"600.{time.monotonic_ns() % 1_000_000_000:09d}"
    main = f'[processes]\ncontainer = "{container}"\nterm_grace_ms = 300\n'
    with Daemon(config={**CONFIG, "subsessiond.toml": main}) as daemon:
        root = daemon.open()
        assert daemon.process is not None
        script = STOP_DAEMON_FIRST.format(pid=daemon.process.pid, then=then.format(marker=marker))
        order = {"parentId": root, "role": "check", "brief": {"mission": "start"}}
        node = daemon.call("subsession.spawn", **order, argv=["sh", "-c", script])["nodeId"]
        wait_file(daemon.workspace / "up")
        within(lambda: not living(marker), "the program does not run")
        daemon.kill()
        daemon.start()
        row = wait_for(daemon, node, "released")
        # Why either: the child may have been a moment too late.
        assert row["reason"] in ("start-interrupted", "daemon-restart")
        assert living(marker) == []
        seq = daemon.call("daemon.health")["seq"]
        daemon.kill()
        daemon.start()
        assert daemon.call("daemon.health")["seq"] == seq
        check_closing(daemon)
