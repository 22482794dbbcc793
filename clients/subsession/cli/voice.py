"""How the command line speaks: text for people, JSON for programs, colour only on a terminal.

Owns standard output and error. Whatever an agent wrote passes `subsession.text` before it gets
here; what comes out of `sentence` is made safe here once more.
"""

import json
import os
import shutil
import sys
from collections.abc import Mapping
from typing import TextIO

from subsession.text import block
from subsession.verbs import Json

STYLES = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "cyan": "36",
}


def dump(value: object) -> str:
    """Give a value as one line of JSON without any raw control byte."""
    return json.dumps(value, separators=(",", ":")).replace("\x7f", "\\u007f")


class Voice:
    """Speaks to one reader.

    Args:
        out: where answers go.
        err: where sentences about trouble go.
        as_json: whether answers are JSON documents.
        environ: `NO_COLOR`, `TERM` and `COLUMNS` are looked at.
    """

    def __init__(
        self, out: TextIO, err: TextIO, *, as_json: bool, environ: Mapping[str, str]
    ) -> None:
        self._out = out
        self._err = err
        self.as_json = as_json
        self.is_terminal = out.isatty()
        self.has_colour = (
            self.is_terminal and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
        )
        self.is_unicode = (out.encoding or "ascii").lower().replace("-", "").startswith("utf")

    @property
    def columns(self) -> int:
        """Width to write for: the terminal's, or 80 where there is none."""
        return max(60, shutil.get_terminal_size((80, 24)).columns) if self.is_terminal else 80

    @property
    def rows(self) -> int:
        """Height of the terminal."""
        return shutil.get_terminal_size((80, 24)).lines

    def answer(self, result: object, text: str) -> None:
        """Say one answer: its JSON document, or the text for people."""
        self.line(dump(result) if self.as_json else text)

    def line(self, text: str) -> None:
        """Say one line (or several) of safe text."""
        if not self.is_unicode:
            text = text.encode("ascii", "backslashreplace").decode()
        print(text, file=self._out, flush=True)

    def ring(self) -> None:
        """Ring the terminal's bell; where there is none, or a program reads, nothing is said."""
        if self.is_terminal and not self.as_json:
            print("\a", end="", file=self._out, flush=True)

    def raw(self, text: str) -> None:
        """Pass on what an agent wrote as it is; a terminal is shown it made safe."""
        if self.is_terminal:
            text = block(text.removesuffix("\n")) + "\n"
        if not self.is_unicode:
            text = text.encode("ascii", "backslashreplace").decode()
        print(text, end="", file=self._out, flush=True)

    def note(self, text: str) -> None:
        """Say something beside the answer, on standard error."""
        self._say("subsession: " + block(text))

    def trouble(self, text: str, error: Json | None = None) -> None:
        """Say what went wrong, on standard error; with JSON also as a document on output."""
        if self.as_json and error is not None:
            self.line(dump({"error": error}))
        self.note(text)

    def _say(self, text: str) -> None:
        print(
            text.encode("ascii", "backslashreplace").decode() if not self.is_unicode else text,
            file=self._err,
            flush=True,
        )

    def style(self, name: str, text: str) -> str:
        """Give a text in a colour, where colours are wanted; the empty name means none."""
        if not self.has_colour or not name:
            return text
        return f"\x1b[{STYLES[name]}m{text}\x1b[0m"


def stdout_voice(*, as_json: bool) -> Voice:
    """Give the voice of this process."""
    return Voice(sys.stdout, sys.stderr, as_json=as_json, environ=os.environ)
