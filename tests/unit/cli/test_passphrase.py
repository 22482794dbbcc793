"""`subsessiond passphrase`, typed at a terminal of its own and fed by a script."""

import asyncio
import os
import subprocess
import sys
import tomllib

import pytest

from subsessiond.adapters.passphrase import Passphrase
from subsessiond.cli import exits
from tests.support.terminal import Terminal

VERB = (sys.executable, "-m", "subsessiond", "passphrase")


def kept(said: str) -> Passphrase:
    """Read the line that was printed, as the configuration would."""
    (line,) = (line for line in said.split("\n") if line.startswith("passphrase = "))
    return Passphrase.parse(tomllib.loads(line)["passphrase"])


def fed(text: bytes) -> subprocess.CompletedProcess[bytes]:
    """Run it with a text on standard input."""
    return subprocess.run(
        [*VERB, "--passphrase-stdin"], input=text, capture_output=True, timeout=25, check=False
    )


def test_it_is_typed_twice_and_never_seen() -> None:
    """The terminal shows the questions and the line, and nothing of what was typed."""
    with Terminal(*VERB, env=os.environ) as terminal:
        terminal.wait_for("passphrase for granting: ")
        terminal.press("correct horse\n")
        terminal.wait_for("the same again: ")
        terminal.press("correct horse\n")
        assert terminal.end() == exits.DONE
    assert "horse" not in terminal.seen
    assert "[operator] of subsessiond.toml" in terminal.seen
    assert asyncio.run(kept(terminal.seen).is_it("correct horse"))


@pytest.mark.parametrize(
    ("typed", "words", "status"),
    [
        (["correct horse", "correct house"], "the two differ; nothing was made", exits.DIFFERS),
        (["short"], "from 8 to 1024 bytes", exits.FAULT),
        (["\x04"], "nothing was made", exits.FAULT),
    ],
)
def test_what_is_no_passphrase_makes_nothing(typed: list[str], words: str, status: int) -> None:
    """One that is too short, two that differ and none at all are told, and no line is printed."""
    with Terminal(*VERB, env=os.environ) as terminal:
        for question, text in zip(("for granting: ", "the same again: "), typed, strict=False):
            terminal.wait_for(question)
            terminal.press(text if text == "\x04" else text + "\n")
        assert terminal.end() == status
    assert words in terminal.seen
    assert "scrypt" not in terminal.seen


def test_a_script_gives_it_on_standard_input() -> None:
    """The first line counts, without its end; the line for the file is all that is printed."""
    done = fed(b"correct horse\r\nmore\n")
    assert done.returncode == exits.DONE
    assert done.stdout.count(b"\n") == 1
    assert asyncio.run(kept(done.stdout.decode()).is_it("correct horse"))
    for text in (b"", b"short\n", b"x" * 1_025, b"\xff" * 9, b"nul \0 within\n"):
        assert fed(text).returncode == exits.FAULT


def test_nobody_is_asked_where_there_is_no_terminal() -> None:
    """Without one nothing is read, for it would be seen; the option is named."""
    done = subprocess.run(
        VERB,
        input=b"correct horse\n",
        capture_output=True,
        timeout=25,
        check=False,
        start_new_session=True,
    )
    assert done.returncode == exits.FAULT
    assert b"--passphrase-stdin" in done.stderr
    assert done.stdout == b""
