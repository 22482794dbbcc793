"""`attach`: what is asked before anything is attached."""

from pathlib import Path
from typing import Any

import pytest

from subsession.cli import exits, main
from tests.support.fake_daemon import fake_daemon
from tests.support.rows import CHILD

ANSWER: dict[str, Any] = {
    "nodeId": CHILD,
    "opening": "Look\x1b[2Jaround.",
    "workspace": "/",
    "socket": "/s",
    "token": "secret",
}


@pytest.mark.parametrize(
    "words",
    [
        ["attach"],
        ["attach", CHILD, "--above", "--", "true"],
        ["attach", CHILD, "--above", "--stdin"],
        ["attach", CHILD, "--stdin"],
    ],
)
def test_what_does_not_go_together_is_not_sent(path: Path, words: list[str]) -> None:
    """A child has to be named, and a command goes only with what is for commands."""
    with fake_daemon(path, {"subsession.attach": ANSWER}) as daemon:
        assert main(words) == exits.USAGE
        assert daemon.calls == []


def test_without_a_command_the_brief_is_shown(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Safe for a terminal, with what to do next; nothing is attached by it."""
    with fake_daemon(path, {"subsession.attach": ANSWER}) as daemon:
        assert main(["attach", CHILD]) == exits.OK
        assert daemon.params_of("subsession.attach") == {"nodeId": CHILD, "checkOnly": True}
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert f"subsession attach {CHILD[-6:]} -- CMD" in out


def test_an_agent_reads_its_brief_and_nobodys_token(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What its shell prints is kept in transcripts."""
    with fake_daemon(path, {"subsession.attach": ANSWER}) as daemon:
        assert main(["--json", "attach", CHILD, "--above"]) == exits.OK
        assert daemon.params_of("subsession.attach") == {"nodeId": CHILD, "above": True}
    assert "secret" not in capsys.readouterr().out


@pytest.mark.parametrize("command", [["no-such-program"], ["true", "x" * 200_000]])
def test_a_command_that_cannot_run_attaches_nothing(
    path: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """It is looked at before: afterwards the child would have failed by it."""
    with fake_daemon(path, {"subsession.attach": ANSWER}) as daemon:
        assert main(["attach", CHILD, "--", *command]) == exits.USAGE
        asked = [params for name, params in daemon.calls if name == "subsession.attach"]
        assert asked == [{"nodeId": CHILD, "checkOnly": True}]
    assert capsys.readouterr().err
