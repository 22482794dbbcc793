"""`subsession mcp` over the end of the daemon, of its root and of its editor."""

import json
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, StandIn, hire, wait_file, wait_for
from tests.support.ide import Ide, end_daemon, roots_on


@contextmanager
def lone_daemon() -> Iterator[Daemon]:
    """Give a daemon that bridges start anew; whichever runs last is ended."""
    with Daemon(config=CONFIG) as daemon:
        try:
            yield daemon
        finally:
            end_daemon(daemon)


def editor(daemon: Daemon) -> Ide:
    """Start an editor whose bridge can start the daemon as it was."""
    environ = {"SUBSESSION_CONFIG_DIR": str(daemon.config)}
    return Ide(daemon.state, daemon.workspace, environ=environ)


def test_a_daemon_is_started_where_none_runs() -> None:
    """By the first word of the agent, and outside of its process tree."""
    with lone_daemon() as daemon:
        end_daemon(daemon)
        with editor(daemon) as ide:
            assert "result" in ide.greet()
            pid = daemon.call("daemon.info")["pid"]
            assert roots_on(daemon, daemon.workspace)
        assert daemon.call("daemon.info")["pid"] == pid


def test_the_daemon_is_killed_under_a_call() -> None:
    """The call is answered once, that it may have arrived; the next one finds the root again."""
    with Daemon(config=CONFIG) as daemon, Ide(daemon.state, daemon.workspace) as ide:
        ide.greet()
        (root,) = roots_on(daemon, daemon.workspace)
        waiting = ide.wire.begin_tool("subsession_inbox", waitMs=50_000)
        ide.wire.tool("subsession_tree")
        daemon.kill()
        lost = ide.wire.answer(waiting)["result"]
        assert lost["isError"]
        assert lost["structuredContent"]["code"] == "CONNECTION_LOST"
        assert "idempotencyKey" in lost["content"][0]["text"]
        daemon.start()
        assert ide.wire.text("subsession_tree")
        assert roots_on(daemon, daemon.workspace) == [root]
        assert len(ide.wire.answers(waiting)) == 1
        assert len(ide.wire.answers(1)) == 1


def test_a_spawn_that_is_lost_is_repeated_without_a_second_child() -> None:
    """With its key it is one child, however often the daemon dies under it."""
    mission = json.dumps({"steps": [{"awaitPrompt": None}]})
    order: dict[str, Any] = {"role": "script", "mission": mission, "idempotencyKey": "k"}
    with lone_daemon() as daemon, editor(daemon) as ide:
        ide.greet()
        for delay_ms in (0, 2, 5, 10):
            call = ide.wire.begin_tool("subsession_spawn", **order)
            time.sleep(delay_ms / 1_000)  # so that it is killed at another instant each time
            end_daemon(daemon, signal.SIGKILL)
            ide.wire.answer(call)
            ide.wire.text("subsession_tree")
        spawned = json.loads(ide.wire.text("subsession_spawn", **order))
        rows = daemon.rows().items()
        reasons = {node_id: row.get("reason") for node_id, row in rows if row.get("parentId")}
        begun = [one for one, reason in reasons.items() if reason != "start-interrupted"]
        assert begun in ([spawned["nodeId"]], []), reasons


def test_a_closed_roots_agent_stays_what_it_was_over_a_restart() -> None:
    """Its root is forgotten with its tree, and what runs below it is still no person."""
    with Daemon(config=CONFIG) as daemon, Ide(daemon.state, daemon.workspace) as ide:
        ide.greet()
        (root,) = roots_on(daemon, daemon.workspace)
        daemon.call("subsession.close", nodeId=root)
        wait_for(daemon, root, "released")
        daemon.kill()
        daemon.start()
        error = ide.wire.ask("tools/list")["error"]
        assert "root was closed" in error["message"]


def test_a_bridge_that_lost_its_editor_stays_the_root_over_a_restart() -> None:
    """It speaks for the root and for nobody else, as long as it runs."""
    with Daemon(config=CONFIG) as daemon, Ide(daemon.state, daemon.workspace) as ide:
        ide.greet()
        (root,) = roots_on(daemon, daemon.workspace)
        child = StandIn.hire(daemon, root)
        with child:
            child.report("one bug", stage="finding")
            ide.end()
            daemon.kill()
            daemon.start()
            assert "one bug" in ide.wire.text("subsession_inbox")
            assert roots_on(daemon, daemon.workspace) == [root]


def test_settings_that_no_daemon_starts_with_are_told_until_they_are_right() -> None:
    """By file and word, soon; once they are right the next call starts it."""
    with lone_daemon() as daemon:
        end_daemon(daemon)
        main = daemon.config / "subsessiond.toml"
        main.write_text("[limits]\nlive_total = -1\n")
        with editor(daemon) as ide:
            began = time.monotonic()
            message = ide.greet()["error"]["message"]
            assert time.monotonic() - began < 15  # a busy machine starts an interpreter in seconds
            assert "live_total" in message
            main.unlink()
            assert ide.wire.text("subsession_tree")


def test_a_daemon_that_is_about_to_end_is_waited_for() -> None:
    """Its state is its own until its children have ended; the call comes to the next one."""
    with lone_daemon() as daemon, editor(daemon) as ide:
        ide.greet()
        (root,) = roots_on(daemon, daemon.workspace)
        stubborn = "trap '' TERM; echo x >up; while :; do sleep 1; done"
        hire(daemon, root, "sh", "-c", stubborn)
        wait_file(daemon.workspace / "up")
        assert daemon.process is not None
        daemon.process.send_signal(signal.SIGTERM)
        until = time.monotonic() + 20
        while daemon.socket.exists():  # it lets go of its socket first, and of its state last
            assert time.monotonic() < until
            time.sleep(0.01)
        said = ide.wire.tool("subsession_tree")
        if said["isError"]:  # the connection was still there
            assert said["structuredContent"]["code"] == "CONNECTION_LOST"
            said = ide.wire.tool("subsession_tree")
        assert not said["isError"], said
        assert roots_on(daemon, daemon.workspace) == [root]
