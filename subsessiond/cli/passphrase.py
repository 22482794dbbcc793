"""`subsessiond passphrase`: makes the line that stands for a passphrase in the configuration.

The passphrase is typed without echo, or comes on standard input: never on a command line, which
everybody on the machine can read.
"""

import argparse
import os
import secrets
import sys
from getpass import getpass

from subsessiond.adapters.passphrase import LEAST_BYTES, MOST_BYTES, SALT_BYTES, Passphrase
from subsessiond.cli.exits import DIFFERS, DONE, FAULT, Ended, tell

NEXT = (
    "put this line into the table [operator] of subsessiond.toml, where `subsessiond check-config`"
    " says,\nand start the daemon anew; then what grants something asks for the passphrase:"
)


def passphrase(options: argparse.Namespace) -> int:
    """Ask twice, and print the line."""
    try:
        text = _read() if options.passphrase_stdin else _ask_twice()
        _check(text)
    except Ended as ended:
        return ended.status
    made = Passphrase.make(text, secrets.token_bytes(SALT_BYTES))
    print(NEXT, file=sys.stderr)
    print(f'passphrase = "{made.line}"')
    return DONE


def _ask_twice() -> str:
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        # Why not from standard input: what is typed there would be seen.
        raise tell("there is no terminal to ask at; see --passphrase-stdin", FAULT) from None
    try:
        first = getpass("passphrase for granting: ")
        _check(first)
        again = getpass("the same again: ")
    except (EOFError, KeyboardInterrupt):
        raise tell("nothing was made", FAULT) from None
    except UnicodeError:
        raise tell("the terminal gave bytes that are no text", FAULT) from None
    if first != again:
        raise tell("the two differ; nothing was made", DIFFERS)
    return first


def _read() -> str:
    try:
        # Why two more: an end of line, and one by which it is seen that it is too long.
        line = sys.stdin.buffer.readline(MOST_BYTES + 2).decode()
    except UnicodeDecodeError:
        raise tell("the first line of standard input is no UTF-8", FAULT) from None
    return line.removesuffix("\n").removesuffix("\r")


def _check(text: str) -> None:
    size = len(text.encode(errors="surrogatepass"))
    if not LEAST_BYTES <= size <= MOST_BYTES or "\0" in text:
        bounds = f"from {LEAST_BYTES} to {MOST_BYTES} bytes"
        raise tell(f"a passphrase has {bounds} and no NUL; nothing was made", FAULT)
