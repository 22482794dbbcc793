"""Logging: one JSON line an event, into the state directory or to standard error.

A log in a file is bounded: a full one gets a number, and a few of these are kept.
"""

import logging
import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager, suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, TextIO, cast

import structlog
from structlog.tracebacks import ExceptionDictTransformer

from subsessiond.core.scrub import Scrubber

TURN_BYTES = 8 * 1024 * 1024
"""How large a log file becomes before the next one is begun: some 40,000 lines."""

OLD_FILES = 3
"""How many full files are kept beside it; with it they hold 32 MiB, whatever the daemon lives."""

SHAPES = Scrubber()
"""Knows secrets by what they look like, and no value."""

_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
_NEW = ".new"
"""Ends the name of a file that is not the log yet: always empty."""


class LogFile:
    """A log that loses lines rather than stopping whoever writes: their loss is told later.

    Why: a disk that is full fails the log first, and finals must still be accepted then.

    Args:
        descriptor: what is written; the log's own from now on.
        path: its name, where it shall make room for another when it is full: `daemon.log` becomes
            `daemon.log.1`, that `daemon.log.2`, and so on.
        turn_bytes: when it is full.
    """

    def __init__(
        self, descriptor: int, path: Path | None = None, turn_bytes: int = TURN_BYTES
    ) -> None:
        self._descriptor = descriptor
        self._path = path
        self._turn_bytes = turn_bytes
        self._bytes = os.fstat(descriptor).st_size
        self._turn_at = turn_bytes
        self._lost = 0

    def write(self, text: str) -> int:
        """Write one line, whole; returns its length whatever became of it."""
        data = text.encode(errors="backslashreplace")
        if self._lost:
            # The line break ends what was cut when there was no room for all of it.
            data = b'\n{"event":"log lines were lost","lines":%d}\n' % self._lost + data
        if self._path is not None and 0 < self._bytes > self._turn_at - len(data):
            self._turn(self._path)
        written = 0
        with suppress(OSError):
            written = os.write(self._descriptor, data)
        self._bytes += written
        self._lost = 0 if written == len(data) else self._lost + 1
        return len(text)

    def _turn(self, path: Path) -> None:
        """Begin a new file; where that cannot be, the old one goes on and it is tried later."""
        try:
            # Why the new file first: when there is none, no old one has moved.
            fresh = os.open(f"{path}{_NEW}", _FLAGS | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        except OSError:
            self._turn_at = self._bytes + self._turn_bytes
            return
        try:
            _shift(path)
            Path(f"{path}{_NEW}").replace(path)
        except OSError:
            os.close(fresh)
            self._turn_at = self._bytes + self._turn_bytes
            return
        os.close(self._descriptor)
        self._descriptor, self._bytes, self._turn_at = fresh, 0, self._turn_bytes

    def flush(self) -> None:
        """Nothing is kept back."""

    def close(self) -> None:
        """Give the descriptor back."""
        os.close(self._descriptor)


def _shift(path: Path) -> None:
    """Give every file the next number; the last one is overwritten."""
    names = [path, *(Path(f"{path}.{number}") for number in range(1, OLD_FILES + 1))]
    for name, older in reversed(tuple(pairwise(names))):
        with suppress(FileNotFoundError):  # not that old yet, or somebody cleaned up
            name.replace(older)


@contextmanager
def writing(
    path: Path | None,
    turn_bytes: int = TURN_BYTES,
    scrub: Callable[[str], str] = SHAPES.scrub,
) -> Iterator[None]:
    """Send every log line to a file (owner only) or, without one, to standard error.

    Args:
        path: the file; it makes room for another when it is full.
        turn_bytes: when it is full.
        scrub: takes secrets out of what is written: faults quote what programs said.

    Raises:
        OSError: the file cannot be opened.
    """
    file = _open(path, turn_bytes)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            # Why no locals: tokens and what agents wrote pass through every frame.
            structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False)),
            partial(_scrubbed, scrub),
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        # Why not the one that prints: it writes the end of a line apart from the line.
        logger_factory=structlog.WriteLoggerFactory(cast("TextIO", file)),
        cache_logger_on_first_use=False,
    )
    try:
        yield
    finally:
        structlog.reset_defaults()
        file.close()


def _scrubbed(
    scrub: Callable[[str], str], _logger: object, _name: str, event: MutableMapping[str, Any]
) -> Mapping[str, Any]:
    """Scrub every text of an event, before it is rendered: a mark must not swallow a quote."""
    return {key: _clean(value, scrub) for key, value in event.items()}


def _clean(value: Any, scrub: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return scrub(value)
    if isinstance(value, dict):
        return {key: _clean(item, scrub) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item, scrub) for item in value]
    # Why also of what is no text: the renderer would write its `repr`.
    return value if value is None or isinstance(value, int | float) else scrub(repr(value))


def _open(path: Path | None, turn_bytes: int) -> LogFile:
    """Give a log with a descriptor of its own, also where there is no standard error."""
    if path is not None:
        descriptor = os.open(path, _FLAGS, 0o600)
        # Why resolved: a log that is a link to another place is turned there. No device is.
        turns = stat.S_ISREG(os.fstat(descriptor).st_mode)
        return LogFile(descriptor, path.resolve() if turns else None, turn_bytes)
    if sys.stderr is None:
        return LogFile(os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC))
    return LogFile(os.dup(sys.stderr.fileno()))
