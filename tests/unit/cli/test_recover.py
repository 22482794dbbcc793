"""`subsessiond recover`: what a daemon that was killed has left is ended and settled, offline."""

import os
import sys
from pathlib import Path

import pytest

from subsessiond.cli import main
from subsessiond.cli.recover import recover_offline, words_of
from subsessiond.model.node import Status
from subsessiond.model.process import Stopped
from subsessiond.settings import load
from tests.support.closing import marked
from tests.support.daemon import Daemon
from tests.support.hire import hire

SLEEPER = "import time; print('begun', flush=True); time.sleep(600)"


def recover(daemon: Daemon) -> int:
    """Type the verb for a daemon's state."""
    return main(["recover", "--state-dir", str(daemon.state), "--config-dir", str(daemon.config)])


def test_a_killed_daemons_children_are_ended_and_settled(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """After it no process lives, each child has its reason, and a start finds nothing to do."""
    with Daemon() as daemon:
        root = daemon.open()
        child = hire(daemon, root, sys.executable, "-c", SLEEPER)
        assert marked([child])
        daemon.kill()
        assert recover(daemon) == 0
        said = capsys.readouterr().out
        assert marked([child]) == {}
        assert "open roots       1\n" in said
        assert f"child            {child} failed (daemon-restart), released: " in said
        assert "still to be written" not in said
        kinds = (daemon.workspace / f".subsession/journals/{child}.journal.jsonl").read_text()
        assert '"released"' in kinds
        assert recover(daemon) == 0
        assert "nothing was left to recover" in capsys.readouterr().out
        daemon.start()
        row = daemon.rows()[child]
        assert (row["state"], row["reason"]) == ("released", "daemon-restart")
        assert daemon.call("daemon.stats")["live"] == 0


def test_nothing_is_made_where_no_daemon_ever_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A state directory that does not exist is not made by looking at it."""
    state = tmp_path / "none"
    assert main(["recover", "--state-dir", str(state), "--config-dir", str(tmp_path)]) == 0
    assert "no daemon ever served it" in capsys.readouterr().out
    assert not state.exists()


def test_a_broken_store_is_mended_and_said(capsys: pytest.CaptureFixture[str]) -> None:
    """A store that cannot be read is rebuilt, and the operator reads what was done."""
    with Daemon() as daemon:
        root = daemon.open()
        assert daemon.stop() == 0
        for path in daemon.state.glob("registry.sqlite*"):
            path.unlink()
        (daemon.state / "registry.sqlite").write_bytes(b"x" * 4_096)
        assert recover(daemon) == 0
        said = capsys.readouterr().out
        assert "store            " in said
        assert "cannot be used" in said
        assert "open roots       1\n" in said
        daemon.start()
        assert root in daemon.rows()


async def test_leftovers_and_unwritten_lines_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be proven gone stays on record until a later start can prove it."""

    async def hangs(*_: object) -> Stopped:
        return Stopped(forced=True, leftovers=("process 1 hangs",))

    with Daemon() as daemon:
        child = hire(daemon, daemon.open(), sys.executable, "-c", SLEEPER)
        daemon.kill()
        settings = load({}, state_dir=str(daemon.state), config_dir=str(daemon.config))
        with monkeypatch.context() as patch:
            patch.setattr("subsessiond.adapters.processes.LinuxProcesses.end", hangs)
            os.rename(daemon.workspace, daemon.folder / "moved")
            found = await recover_offline(settings)
        os.rename(daemon.folder / "moved", daemon.workspace)
        (node,) = found.nodes
        assert (node.node_id, node.status) == (child, Status.SETTLED)
        assert found.lines > 0
        said = "\n".join(words_of(settings, found))
        assert "left: process 1 hangs" in said
        assert f"journal lines    {found.lines} are still to be written" in said
        daemon.start()
        assert daemon.rows()[child]["state"] == "released"
        assert marked([child]) == {}
