"""One run of the bridge, from its words to the end of its input."""

import os
from pathlib import Path
from signal import SIG_DFL, SIGINT, signal

from subsession.connect import find_place
from subsession.mcp.bridge import Bridge
from subsession.mcp.reach import Reach
from subsession.mcp.words import Words
from subsession.workspace import workspace_here


def run(words: Words) -> int:
    """Serve one agent until it closes its side.

    Why an exit so hard: a thread still reads the daemon, and nobody waits for it.
    """
    # Why: Python's own answer needs the first thread, which waits where no signal may wake it.
    signal(SIGINT, SIG_DFL)
    place = find_place(os.environ, words.socket, words.state_dir)
    folder = Path(words.workspace).absolute() if words.workspace else workspace_here()
    which = {"resume": words.resume} if words.resume else {"resumeDetached": True}
    opens = {"workspace": str(folder), **which}
    Bridge(Reach(place, opens)).run()
    os._exit(0)
