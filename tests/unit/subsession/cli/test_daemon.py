"""The daemon itself."""

from pathlib import Path
from typing import Any

import pytest

from subsession.cli import exits, main
from tests.support.fake_daemon import fake_daemon


def test_status_tells_the_truth_and_starts_nothing(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No daemon is code 4 and leaves no trace."""
    assert main(["status"]) == exits.UNREACHABLE
    assert "no daemon runs" in capsys.readouterr().out
    assert not list(path.parent.iterdir())
    answers: dict[str, Any] = {
        "daemon.health": {"ok": True, "seq": 9},
        "daemon.stats": {"live": 2, "seq": 9, "uptimeMs": 61_000},
        "roles.list": {"roles": [{"name": "check"}, {"name": "worker"}]},
    }
    with fake_daemon(path, answers):
        assert main(["status"]) == exits.OK
    said = capsys.readouterr().out
    assert "subsessiond 0.1.0, process 1" in said
    assert "check worker" in said
    assert said.endswith("live         2\nup for       1m01s\n")


def test_reload_counts_what_was_read(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """After a change of roles.toml or agents.toml the daemon takes it in without an end."""
    with fake_daemon(path, {"daemon.reload": {"roles": 5, "agents": 2}}):
        assert main(["reload"]) == exits.OK
    assert capsys.readouterr().out == "read 5 roles and 2 agents\n"


def test_down_without_a_daemon_has_nothing_to_do(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ending what does not run succeeds and starts nothing."""
    assert main(["down"]) == exits.OK
    assert capsys.readouterr().out == "no daemon runs\n"
