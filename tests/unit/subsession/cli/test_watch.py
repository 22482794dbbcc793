"""The live tree, on a terminal and piped."""

import os
import pty
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from subsession.cli import exits
from subsession.verbs import Json
from tests.support.fake_daemon import fake_daemon
from tests.support.rows import child_row

# Why the signal: a shell that starts the tests in the background has it ignored.
PROGRAM = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from subsession.cli import main
sys.exit(main(["tree", "--live"]))
"""
WITHIN_S = 20
NOTHING_NEW = threading.Event()


def growing(params: Json) -> Json:
    """Answer the tree: a live child first, then a settled one, then nothing new for a while."""
    if params.get("sinceSeq") == 9:
        NOTHING_NEW.wait(min(params.get("waitMs", 0), 200) / 1_000)
        return {"rows": [], "seq": 9, "resync": False}
    if params.get("sinceSeq") == 8:
        return {"rows": [child_row("failed")], "seq": 9, "resync": False}
    return {"rows": [child_row(None)], "seq": 8, "resync": False}


@contextmanager
def watching(output: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run the command on an output, and end it whatever happens."""
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "24", "PYTHONUTF8": "1"}
    env.pop("NO_COLOR", None)
    order = [sys.executable, "-c", PROGRAM]
    asking = subprocess.Popen(order, stdout=output, stderr=output, env=env)
    try:
        yield asking
    finally:
        asking.kill()
        asking.wait()


class Reader(threading.Thread):
    """Reads all that comes, and tells when a word was in it."""

    def __init__(self, descriptor: int, word: bytes) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._word = word
        self.text = b""
        self.seen = threading.Event()

    def run(self) -> None:
        """Read to the end; on a terminal that is an error."""
        try:
            while more := os.read(self._descriptor, 65_536):
                self.text += more
                if self._word in self.text:
                    self.seen.set()
        except OSError:
            return


def watch(ours: int, theirs: int, word: bytes) -> bytes:
    """Run until a word is shown, press Ctrl-C, and give all that was shown."""
    reader = Reader(ours, word)
    with watching(theirs) as asking:
        os.close(theirs)
        reader.start()
        came = reader.seen.wait(WITHIN_S)
        asking.send_signal(signal.SIGINT)
        code = asking.wait(WITHIN_S) if came else None
    reader.join()
    os.close(ours)
    assert came, reader.text
    assert code == exits.OK
    return reader.text


def test_a_terminal_sees_the_tree_change_in_place(path: Path) -> None:
    """The picture is drawn over, in colours, until Ctrl-C, which is no failure."""
    with fake_daemon(path, {"subsession.tree": growing}):
        shown = watch(*pty.openpty(), b"1 failed")
    assert "• running".encode() in shown
    assert b"\x1b[1A" in shown  # moved up, to draw over
    assert b"\x1b[31m" in shown


def test_a_pipe_is_told_each_step_on_a_line(path: Path) -> None:
    """Without a terminal nothing is redrawn: each step is a line."""
    with fake_daemon(path, {"subsession.tree": growing}):
        shown = watch(*os.pipe(), b"failed     in 4s (final-report)\n")
    assert shown.count(b"\n") == 2
    assert b"\x1b" not in shown
