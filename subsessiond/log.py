"""Logging: one JSON line an event, into the state directory or to standard error."""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO, cast

import structlog
from structlog.tracebacks import ExceptionDictTransformer


class LogFile:
    """A log that loses lines rather than stopping whoever writes: their loss is told later.

    Why: a disk that is full fails the log first, and finals must still be accepted then.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lost = 0

    def write(self, text: str) -> int:
        """Write one line, whole; returns its length whatever became of it."""
        data = text.encode(errors="backslashreplace")
        if self._lost:
            # The line break ends what was cut when there was no room for all of it.
            data = b'\n{"event":"log lines were lost","lines":%d}\n' % self._lost + data
        try:
            whole = os.write(self._descriptor, data) == len(data)
        except OSError:
            whole = False
        self._lost = 0 if whole else self._lost + 1
        return len(text)

    def flush(self) -> None:
        """Nothing is kept back."""


@contextmanager
def writing(path: Path | None) -> Iterator[None]:
    """Send every log line to a file (owner only) or, without one, to standard error.

    Raises:
        OSError: the file cannot be opened.
    """
    descriptor = _open(path)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            # Why no locals: tokens and what agents wrote pass through every frame.
            structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False)),
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        # Why not the one that prints: it writes the end of a line apart from the line.
        logger_factory=structlog.WriteLoggerFactory(cast("TextIO", LogFile(descriptor))),
        cache_logger_on_first_use=False,
    )
    try:
        yield
    finally:
        structlog.reset_defaults()
        os.close(descriptor)


def _open(path: Path | None) -> int:
    """Give a descriptor of our own, also where there is no standard error."""
    if path is not None:
        return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    if sys.stderr is None:
        return os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
    return os.dup(sys.stderr.fileno())
