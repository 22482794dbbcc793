"""Logging: one JSON line an event, into the state directory or to standard error."""

import logging
import sys
from pathlib import Path
from typing import TextIO

import structlog


def set_up(path: Path | None) -> None:
    """Send every log line to a file (owner only) or, without one, to standard error."""
    stream: TextIO = sys.stderr
    if path is not None:
        path.touch(mode=0o600)
        stream = path.open("a", encoding="utf-8", buffering=1)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.dict_tracebacks,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(stream),
        cache_logger_on_first_use=False,
    )
