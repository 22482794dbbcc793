"""The words of the command line: options that every verb has, and how amounts are written."""

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from subsession.cli import exits
from subsession.cli.session import Session

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 -- has no other name

Run = Callable[[Session], int]

_UNITS = {"k": 1_000, "m": 1_000_000}


class Verbs:
    """Collects verbs; every one takes the shared options behind it too."""

    def __init__(self, program: str, version: str, about: str) -> None:
        self.parser = argparse.ArgumentParser(
            prog=program,
            description=about,
            epilog=exits.LEGEND,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        self.parser.add_argument("--version", action="version", version=f"{program} {version}")
        self.parser.set_defaults(json=False, socket=None, state_dir=None)
        _add_shared(self.parser)
        self._shared = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
        _add_shared(self._shared)
        self._verbs: Subparsers = self.parser.add_subparsers(
            dest="verb", metavar="VERB", required=True, title="verbs"
        )

    def add(self, name: str, run: Run, about: str, note: str = "") -> argparse.ArgumentParser:
        """Add a verb and give its parser, to which its own words are added.

        Args:
            name: the verb.
            run: what it does; gives the exit code.
            about: one sentence for help.
            note: what else help should say.
        """
        parser = self._verbs.add_parser(
            name,
            help=about,
            description=f"{about[0].upper()}{about[1:]}.",
            epilog=note or None,
            parents=[self._shared],
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        parser.set_defaults(run=run, parser=parser)
        return parser


def _add_shared(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("shared options")
    group.add_argument("--json", action="store_true", help="answer with JSON, one document a line")
    group.add_argument("--socket", metavar="PATH", help="the daemon's socket")
    group.add_argument("--state-dir", metavar="DIR", help="the daemon's state directory")


def amount(text: str) -> int:
    """Read a count of tokens: 200000, 200_000, 200k or 1.5M."""
    unit = _UNITS.get(text[-1:].lower(), 1)
    try:
        number = float(text[:-1]) * unit if unit > 1 else int(text)
        return int(number)
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(f"{text!r} is no amount such as 200000 or 200k") from None


def seconds(text: str) -> float:
    """Read a length of time: 90, 90s, 5m or 1h."""
    scale = {"s": 1, "m": 60, "h": 3_600}.get(text[-1:], 0)
    try:
        found = float(text[:-1]) * scale if scale else float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found < 10**9:
        raise argparse.ArgumentTypeError(f"{text!r} is no time such as 90, 90s, 5m or 1h")
    return found
