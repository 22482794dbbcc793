"""Three pipes between the daemon and one child."""

import os
from contextlib import AsyncExitStack, ExitStack
from typing import NamedTuple

Undo = AsyncExitStack | ExitStack


class Ends(NamedTuple):
    """Six ends of three pipes; ours do not block."""

    stdin: int
    stdout: int
    stderr: int
    theirs: tuple[int, int, int]


def open_pipes(undo: Undo, theirs_only: ExitStack) -> Ends:
    """Open three pipes: ours do not block; theirs are closed when the starter has them."""
    ours, theirs = [], []
    for is_input in (True, False, False):
        read_end, write_end = os.pipe()
        our_end, their_end = (write_end, read_end) if is_input else (read_end, write_end)
        undo.callback(os.close, our_end)
        theirs_only.callback(os.close, their_end)
        os.set_blocking(our_end, False)
        ours.append(our_end)
        theirs.append(their_end)
    return Ends(ours[0], ours[1], ours[2], (theirs[0], theirs[1], theirs[2]))
