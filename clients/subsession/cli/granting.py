"""Grants: the daemon may want the operator's passphrase, which is asked for without echo.

It comes from the terminal or from standard input, never from the command line or the environment:
these can be read by others.
"""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from getpass import getpass

from subsession.cli.session import Session, UsageProblem
from subsession.errors import Refused
from subsession.verbs import Json

STEP = "passphrase"
"""Step of the refusal by which the daemon says that it wants one, or another."""

TRIES = 3
MOST_BYTES = 1_024


def add_option(parser: ArgumentParser) -> None:
    """Let a verb take the passphrase from standard input."""
    parser.add_argument(
        "--passphrase-stdin",
        action="store_true",
        help="where operator.passphrase is set: take it from the first line of standard input",
    )


def granted(session: Session, call: Callable[[str | None], Json]) -> Json:
    """Make a call that grants something, with the passphrase where one is wanted.

    Args:
        session: `--passphrase-stdin` is looked at.
        call: makes the call with a passphrase, or without one.

    Raises:
        Refused: the daemon refused it, for whatever reason.
    """
    if session.words.passphrase_stdin:
        return call(_read())
    try:
        return call(None)
    except Refused as refused:
        if not _wants_it(refused) or not has_terminal():
            raise
    for _ in range(TRIES - 1):
        try:
            return call(_ask())
        except Refused as refused:
            if not _wants_it(refused):
                raise
            session.voice.note("that is not it")
    return call(_ask())


def _wants_it(refused: Refused) -> bool:
    return refused.refusal.code == "NOT_ALLOWED" and refused.refusal.step == STEP


def has_terminal() -> bool:
    """Tell whether somebody can be asked without what is typed being shown."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


def _ask() -> str:
    try:
        found = getpass("operator's passphrase: ")
    except EOFError:
        found = ""
    except UnicodeError:
        raise UsageProblem("the terminal gave bytes that are no text") from None
    if not found:
        raise UsageProblem("no passphrase was typed; nothing changed")
    return found


def _read() -> str:
    try:
        line = sys.stdin.buffer.readline(MOST_BYTES + 2).decode()
    except UnicodeDecodeError:
        raise UsageProblem("the first line of standard input is no UTF-8") from None
    found = line.removesuffix("\n").removesuffix("\r")
    if not found:
        raise UsageProblem("--passphrase-stdin: standard input is empty")
    return found
