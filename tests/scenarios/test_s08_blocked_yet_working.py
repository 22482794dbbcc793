"""S08: a child that has said it is blocked does not go on working, nor share its files."""

import sys
import time

import pytest

from subsession.errors import Refused
from tests.support.closing import check_closing, marked
from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, hire, wait_file, wait_for

GRACE_MS = 400
AFTER_FINAL_S = 10.0
SPARE_S = 3.0

BLOCKED = """
import signal, time
from pathlib import Path
from subsession import child
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child.report("I need the key", stage="final", outcome="blocked", blockers=["missing: the key"])
Path("told").write_text("blocked")
while True:
    with Path("src/beat").open("a") as beat:
        beat.write("x")
    time.sleep(0.05)
"""


@pytest.mark.scenario("S08")
@pytest.mark.timeout(60)  # a turn may run on for ten seconds after its final
def test_a_blocked_child_is_stopped_before_another_owns_its_files() -> None:
    """A blocked child that works on is killed within its grace, and keeps its claim until then."""
    config = {**CONFIG, "subsessiond.toml": f"[processes]\nterm_grace_ms = {GRACE_MS}\n"}
    with Daemon(config=config) as daemon:
        (daemon.workspace / "src").mkdir()
        root = daemon.open()
        brief = {"ownedGlobs": ["src/**"]}
        node = hire(daemon, root, sys.executable, "-c", BLOCKED, role="hand", brief=brief)
        wait_file(daemon.workspace / "told")
        began = time.monotonic()
        wait_file(daemon.workspace / "src" / "beat")
        assert daemon.rows()[node]["state"] == "settled"
        assert daemon.call("daemon.stats")["live"] == 0
        with pytest.raises(Refused) as said:
            hire(daemon, root, "true", role="hand", brief=brief)
        assert said.value.refusal.code == "SCOPE_OVERLAP"
        assert said.value.refusal.sibling == node
        row = wait_for(daemon, node, "released")
        assert time.monotonic() - began <= AFTER_FINAL_S + GRACE_MS / 1_000 + SPARE_S
        assert marked([node]) == {}
        beats = (daemon.workspace / "src" / "beat").stat().st_size
        sibling = hire(daemon, root, "sleep", "600", role="hand", brief=brief)
        assert (row["outcome"], row["reason"], row["author"]) == (
            *("blocked", "final-report", "child"),
        )
        assert daemon.call("subsession.node", nodeId=node)["envelope"]["forced"] is True
        assert [r["nodeId"] for r in daemon.call("subsession.blocked")["rows"]] == [node]
        assert (daemon.workspace / "src" / "beat").stat().st_size == beats
        assert marked([sibling])
        after = check_closing(daemon)
        assert after[node]["outcome"] == "blocked"
