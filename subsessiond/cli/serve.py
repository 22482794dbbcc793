"""`subsessiond serve`."""

import argparse
import asyncio
import gc
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from subsessiond.cli.exits import Ended, faults_told


def serve(options: argparse.Namespace) -> int:
    """Serve until told to stop."""
    # Why: asked to stop while it is being loaded it stops as it always does, with status 0.
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGINT))
    with _loading():
        from subsessiond import app
        from subsessiond.settings import load
    try:
        with faults_told():
            settings = load(
                os.environ,
                state_dir=options.state_dir,
                socket=options.socket,
                config_dir=options.config_dir,
            )
            return asyncio.run(app.serve(settings, foreground=options.foreground))
    except Ended as ended:
        return ended.status


@contextmanager
def _loading() -> Iterator[None]:
    """Load what is there to stay: nothing of it is worth collecting, now or later.

    Why rich is hidden: structlog loads it when it is there, for colours that a log of JSON never
    has, and that takes as long as loading asyncio.
    """
    hidden = "rich" not in sys.modules
    if hidden:
        sys.modules["rich"] = None  # type: ignore[assignment]  # the language's word for it
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
        if hidden:
            del sys.modules["rich"]
