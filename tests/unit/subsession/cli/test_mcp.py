import sys
from pathlib import Path
from typing import Any

import pytest

from subsession.cli import main
from tests.support.fake_daemon import fake_daemon
from tests.support.rows import ROOT


@pytest.fixture
def became(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Give what this process would have become; it ends in place of that."""
    found: list[Any] = []

    def execv(program: str, words: list[str]) -> None:
        found.append((program, words))
        raise SystemExit

    monkeypatch.setattr("os.execv", execv)
    return found


def test_it_becomes_the_bridge_by_a_command_line_the_daemon_knows(became: list[Any]) -> None:
    """Options of all verbs may stand before it, and stand behind it then."""
    with pytest.raises(SystemExit):
        main(["--state-dir", "/s", "mcp", "--workspace", "/w x"])
    command = [sys.executable, "-P", "-m", "subsession.mcp", "--workspace=/w x", "--state-dir=/s"]
    assert became == [(sys.executable, command)]


def test_a_root_may_be_named_as_a_person_does(path: Path, became: list[Any]) -> None:
    """By the end of its id."""
    page = {"rows": [{"nodeId": ROOT, "seq": 1}], "seq": 1, "resync": False}
    with fake_daemon(path, {"subsession.tree": page}), pytest.raises(SystemExit):
        main(["--socket", str(path), "mcp", "--resume", ROOT[-6:]])
    ((_, command),) = became
    assert f"--resume={ROOT}" in command


def test_help_tells_where_it_is_put(capsys: pytest.CaptureFixture[str]) -> None:
    """Into the configuration of an agent; nobody types it."""
    with pytest.raises(SystemExit):
        main(["mcp", "--help"])
    assert "the configuration of yours" in capsys.readouterr().out
