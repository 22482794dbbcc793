"""Grants of the command line: the passphrase is asked for where the daemon wants one."""

import io
import os
import sys
from pathlib import Path

import pytest

from subsession.cli import exits, main
from tests.support.fake_daemon import FakeDaemon, Json, Refuse, fake_daemon
from tests.support.rows import CHILD
from tests.support.terminal import Terminal

RIGHT = "correct horse"
DONE = {"nodeId": CHILD, "state": "claimed", "warnings": []}


def wants_it(params: Json) -> Json:
    """Answer as a daemon with a passphrase."""
    if params.get("passphrase") == RIGHT:
        return DONE
    raise Refuse(9002, "no", code="NOT_ALLOWED", step="passphrase", retryable=False)


ANSWERS = {"subsession.handover": wants_it, "subsession.release": wants_it}


def given(daemon: FakeDaemon) -> list[str | None]:
    """List the passphrases that came with granting calls."""
    return [params.get("passphrase") for name, params in daemon.calls if name in ANSWERS]


@pytest.mark.parametrize("words", [("handover", CHILD, "--as-is"), ("release", CHILD)])
def test_it_is_asked_for_without_echo_until_it_is_right(path: Path, words: tuple[str, ...]) -> None:
    """The first call goes without one; a wrong one is asked for again, and nothing is shown."""
    with (
        fake_daemon(path, ANSWERS) as daemon,
        Terminal(sys.executable, "-m", "subsession", *words, env=os.environ) as terminal,
    ):
        terminal.wait_for("operator's passphrase: ")
        terminal.press("correct house\n")
        terminal.wait_for("that is not it\noperator's passphrase: ")
        terminal.press(f"{RIGHT}\n")
        assert terminal.end() == exits.OK
        assert given(daemon) == [None, "correct house", RIGHT]
    assert "correct" not in terminal.seen


def test_it_is_asked_for_three_times_at_most(path: Path) -> None:
    """After three wrong ones the refusal stands and says what to do."""
    order = (sys.executable, "-m", "subsession", "release", CHILD)
    with fake_daemon(path, ANSWERS) as daemon, Terminal(*order, env=os.environ) as terminal:
        for times in range(1, 4):
            terminal.wait_for("operator's passphrase: ", times)
            terminal.press("wrong\n")
        assert terminal.end() == exits.REFUSED
        assert given(daemon) == [None, "wrong", "wrong", "wrong"]
    assert "--passphrase-stdin" in terminal.seen


def test_nothing_typed_grants_nothing(path: Path) -> None:
    """Who types nothing has given up: no further call is made."""
    order = (sys.executable, "-m", "subsession", "release", CHILD)
    with fake_daemon(path, ANSWERS) as daemon, Terminal(*order, env=os.environ) as terminal:
        terminal.wait_for("operator's passphrase: ")
        terminal.press("\n")
        assert terminal.end() == exits.USAGE
        assert given(daemon) == [None]


def test_a_script_gives_it_on_standard_input(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --passphrase-stdin it goes with the first call, and nobody is asked."""
    for text, code, sent in (
        (f"{RIGHT}\nmore", exits.OK, [RIGHT]),
        ("wrong", exits.REFUSED, ["wrong"]),
        ("", exits.USAGE, []),
    ):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        with fake_daemon(path, ANSWERS) as daemon:
            assert main(["release", CHILD, "--passphrase-stdin"]) == code
            assert given(daemon) == sent


def test_other_refusals_ask_nobody(path: Path) -> None:
    """Who may not grant at all is not asked for a passphrase."""

    def refuse(_params: Json) -> Json:
        raise Refuse(9002, "no", code="NOT_ALLOWED", step="granting", retryable=False)

    order = (sys.executable, "-m", "subsession", "release", CHILD)
    answers = {"subsession.release": refuse}
    with fake_daemon(path, answers) as daemon, Terminal(*order, env=os.environ) as terminal:
        assert terminal.end() == exits.REFUSED
        assert given(daemon) == [None]
    assert "passphrase" not in terminal.seen
