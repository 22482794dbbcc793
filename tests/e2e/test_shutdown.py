"""A daemon that is asked to stop settles its children, leaves nothing, and finds nothing later."""

import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any, NoReturn

import pytest

from subsession.client import Client
from subsession.errors import Refused, SubsessionError, Unreachable
from tests.support.closing import bad_lines, check_closing, marked, within
from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, StandIn, hire, wait_file, wait_for

STUBBORN = "trap 'echo TERM >heard' TERM; echo up >stubborn; while :; do sleep 0.1; done"
GRACE_MS = 600
LONG_MS = 12_000


def config(grace_ms: int) -> dict[str, str]:
    """How long a child may take to leave."""
    return {**CONFIG, "subsessiond.toml": f"[processes]\nterm_grace_ms = {grace_ms}\n"}


def unwritten(daemon: Daemon) -> int:
    """Count journal lines that the next start would still have to write."""
    store = f"file:{daemon.state / 'registry.sqlite'}?mode=ro"
    with closing(sqlite3.connect(store, uri=True)) as db:
        (count,) = db.execute("SELECT count(*) FROM journal_lines WHERE synced = 0").fetchone()
    return int(count)


def check_clean(daemon: Daemon, *nodes: str) -> None:
    """Look at what a stopped daemon left, start it again, and see that it had nothing to do."""
    assert marked(nodes) == {}
    assert not daemon.socket.exists()
    assert unwritten(daemon) == 0
    assert bad_lines(daemon) == []
    logged = len((daemon.state / "daemon.log").read_bytes())
    last = last_seq(daemon)
    daemon.start()
    rows = daemon.rows()
    assert daemon.call("daemon.health")["seq"] == last
    news = (daemon.state / "daemon.log").read_bytes()[logged:].decode()
    assert '"level": "warning"' not in news
    for node in nodes:
        row = rows[node]
        assert (row["state"], row["outcome"]) == ("released", "failed")
        assert (row["reason"], row["author"]) == ("daemon-stopped", "runtime")
    check_closing(daemon)


def last_seq(daemon: Daemon) -> int:
    """Read the number of the last event from the store of a stopped daemon."""
    store = f"file:{daemon.state / 'registry.sqlite'}?mode=ro"
    with closing(sqlite3.connect(store, uri=True)) as db:
        (seq,) = db.execute("SELECT max(seq) FROM events").fetchone()
    return int(seq)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_clean_stop_settles_children_and_leaves_nothing(number: signal.Signals) -> None:
    """Each child is settled as stopped with the daemon, and the next start repairs nothing."""
    with Daemon(config=config(3_000)) as daemon:
        root = daemon.open()
        children = [StandIn.hire(daemon, root) for _ in range(3)]
        for child in children:
            child.report("half way", stage="progress")
            child.checkpoint("half way", "two of four files", "read the third")
            child.close()
        assert daemon.process is not None
        daemon.process.send_signal(number)
        assert daemon.process.wait(20) == 0
        check_clean(daemon, *(child.node_id for child in children))
        notices = [
            m
            for m in daemon.call("subsession.inbox", nodeId=root)["messages"]
            if m["stage"] == "final"
        ]
        assert {m["senderSessionId"] for m in notices} == {c.node_id for c in children}
        assert len(notices) == len(children)


def test_daemon_shutdown_by_a_call_is_a_clean_stop() -> None:
    """The call is answered, and ends the daemon as a signal does."""
    with Daemon(config=config(3_000)) as daemon:
        node = hire(daemon, daemon.open(), "sleep", "600")
        assert daemon.call("daemon.shutdown") == {"stopping": True}
        assert daemon.process is not None
        assert daemon.process.wait(20) == 0
        check_clean(daemon, node)


def test_a_stubborn_child_is_killed_within_the_limits() -> None:
    """A child that ignores TERM costs its grace and no more, beside a polite one."""
    with Daemon(config=config(GRACE_MS)) as daemon:
        root = daemon.open()
        stubborn = hire(daemon, root, "sh", "-c", STUBBORN)
        polite = hire(daemon, root, "sleep", "600")
        wait_file(daemon.workspace / "stubborn")
        began = time.monotonic()
        assert daemon.stop() == 0
        assert GRACE_MS / 1_000 <= time.monotonic() - began <= GRACE_MS / 1_000 + 3
        check_clean(daemon, stubborn, polite)
        forced = [
            daemon.call("subsession.node", nodeId=n)["envelope"].get("forced", False)
            for n in (stubborn, polite)
        ]
        assert forced == [True, False]


def test_a_second_signal_shortens_the_waiting_and_not_the_record() -> None:
    """A second SIGTERM ends the grace at once; the child is recorded all the same."""
    with Daemon(config=config(LONG_MS)) as daemon:
        node = hire(daemon, daemon.open(), "sh", "-c", STUBBORN)
        wait_file(daemon.workspace / "stubborn")
        assert daemon.process is not None
        began = time.monotonic()
        daemon.process.send_signal(signal.SIGTERM)
        wait_file(daemon.workspace / "heard")
        daemon.process.send_signal(signal.SIGTERM)
        assert daemon.process.wait(20) == 0
        assert time.monotonic() - began < LONG_MS / 2_000
        check_clean(daemon, node)


def test_spawns_are_refused_while_the_daemon_stops() -> None:
    """A connection from before hears that the daemon is stopping, and hires nobody any more."""
    with Daemon(config=config(LONG_MS)) as daemon:
        root = daemon.open()
        node = hire(daemon, root, "sh", "-c", STUBBORN)
        wait_file(daemon.workspace / "stubborn")
        assert daemon.process is not None
        with daemon.client() as client:
            client.connect()
            daemon.process.send_signal(signal.SIGTERM)
            with pytest.raises(SubsessionError) as said:
                ask_until_refused(client, root)
            assert not isinstance(said.value, Refused) or "stopping" in str(said.value)
        daemon.process.send_signal(signal.SIGTERM)
        assert daemon.process.wait(20) == 0
        check_clean(daemon, node)


def ask_until_refused(client: Client, root: str) -> NoReturn:
    """Ask for a child again and again; nothing is started."""
    brief = {"mission": "too late"}
    params: dict[str, Any] = {"parentId": root, "role": "check", "brief": brief}
    while True:
        client.call("subsession.spawn", {**params, "argv": ["true"], "checkOnly": True})


def test_a_daemon_killed_while_it_stops_is_mended_by_the_next() -> None:
    """SIGKILL in the middle of a stop loses no record, and the next start ends what was left."""
    with Daemon(config=config(LONG_MS)) as daemon:
        node = hire(daemon, daemon.open(), "sh", "-c", STUBBORN)
        wait_file(daemon.workspace / "stubborn")
        assert daemon.process is not None
        daemon.process.send_signal(signal.SIGTERM)
        wait_file(daemon.workspace / "heard")
        daemon.kill()
        daemon.config.joinpath("subsessiond.toml").write_text(config(GRACE_MS)["subsessiond.toml"])
        daemon.start()
        row = wait_for(daemon, node, "released")
        assert row["reason"] == "daemon-stopped"
        assert marked([node]) == {}
        messages = daemon.call("subsession.inbox", nodeId=row["rootId"])["messages"]
        assert [m["senderSessionId"] for m in messages] == [node]
        check_closing(daemon)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_during_the_start_is_a_clean_stop(number: signal.Signals) -> None:
    """A daemon told to stop while it starts ends with status 0 and leaves no socket."""
    with Daemon() as daemon:
        root = daemon.open()
        daemon.kill()
        (daemon.state / "lock").unlink()
        process = daemon.launch()
        within(lambda: not (daemon.state / "lock").exists(), "the lock is not taken", 20)
        process.send_signal(number)
        assert process.wait(20) == 0
        assert "Traceback" not in daemon.log.read_text("utf-8")
        with pytest.raises(Unreachable, match="left its socket behind"):
            daemon.client().connect()
        daemon.start()
        assert list(daemon.rows()) == [root]
        check_closing(daemon)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_while_the_program_is_loaded_is_a_clean_stop(number: signal.Signals) -> None:
    """A daemon told to stop before it took its lock ends with status 0 all the same."""
    with Daemon() as daemon:
        daemon.stop()
        process = daemon.launch()
        within(lambda: not blocks(process.pid, number), "signals are not held back", 20)
        process.send_signal(number)
        assert process.wait(20) == 0
        assert "Traceback" not in daemon.log.read_text("utf-8")
        daemon.start()
        check_closing(daemon)


def blocks(pid: int, number: signal.Signals) -> bool:
    """Whether a process holds a signal back for later."""
    lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    (mask,) = [line.split()[1] for line in lines if line.startswith("SigBlk:")]
    return bool(int(mask, 16) & 1 << (number - 1))
