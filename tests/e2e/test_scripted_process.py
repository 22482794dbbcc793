"""A script played by a real process: `subsession run -- python -m subsession.scripted FILE`."""

import json
import os
import subprocess
import sys
from typing import Any

from tests.support.closing import check_closing, marked
from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, hire, wait_for

FINAL = {"stage": "final", "outcome": "completed", "output": "All done."}


def script(daemon: Daemon, *steps: dict[str, Any]) -> tuple[str, ...]:
    """Write a script and give the command line that plays it."""
    path = daemon.folder / "script.json"
    path.write_text(json.dumps({"steps": steps}))
    return sys.executable, "-m", "subsession.scripted", str(path)


def test_the_command_line_runs_it() -> None:
    """What the process says in its own words is its report; the exit code is its outcome's."""
    with Daemon(config=CONFIG) as daemon:
        command = script(
            daemon,
            {"readStdin": None},
            {"report": {"stage": "progress", "output": "half"}},
            {"checkpoint": {"phase": "p", "state": "s", "nextStep": "n"}},
            {"report": FINAL},
        )
        env = {**os.environ, "SUBSESSION_STATE_DIR": str(daemon.state)}
        done = subprocess.run(
            [sys.executable, "-m", "subsession", "run", "--wait", "--", *command],
            cwd=daemon.workspace,
            env=env,
            capture_output=True,
            text=True,
            timeout=25,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        (row,) = [row for row in daemon.rows().values() if "parentId" in row]
        assert (row["outcome"], row["author"]) == ("completed", "child")
        assert row["checkpoint"].startswith("workspaceFile:")
        check_closing(daemon)


def test_without_a_final_the_runtime_reports_for_it() -> None:
    """What it prints is the runtime's bounded report, with the line that says it is scripted."""
    with Daemon(config=CONFIG) as daemon:
        root = daemon.open()
        flood = {"print": {"text": "a line of work\n", "times": 50_000}}
        node = hire(daemon, root, *script(daemon, flood, {"print": "the end\n"}, {"exit": 3}))
        row = wait_for(daemon, node, "released")
        assert (row["outcome"], row["author"], row["reason"]) == (
            "failed",
            "runtime",
            "exit-status",
        )
        (message,) = daemon.call("subsession.inbox", nodeId=root)["messages"]
        assert message["text"].endswith("the end")
        assert len(message["text"].encode()) <= 600 * 3
        shown = daemon.call("subsession.node", nodeId=node)
        assert "it plays" in json.dumps(shown)
        check_closing(daemon)


def test_what_it_leaves_behind_is_ended() -> None:
    """A process that will not leave, and one it forked into another session, are gone with it."""
    grace = {"subsessiond.toml": "[processes]\nterm_grace_ms = 200\n"}
    with Daemon(config=CONFIG | grace) as daemon:
        root = daemon.open()
        steps: list[dict[str, Any]] = [
            {"fork": {"newSession": True}},
            {"ignoreTerm": None},
            {"pauseMs": 600_000},
        ]
        node = hire(daemon, root, *script(daemon, *steps))
        daemon.call("subsession.cancel", nodeId=node, waitMs=20_000)
        row = wait_for(daemon, node, "released")
        assert row["outcome"] == "cancelled"
        assert marked([node]) == {}
        check_closing(daemon)
