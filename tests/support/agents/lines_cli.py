"""A headless agent that prints JSON lines and does what its prompt says.

    python lines_cli.py [PROMPT]

It reads its input to the end first, whether its prompt comes that way or as the last argument, and
then plays the steps of the script in it; `tests.support.headless` writes such prompts.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

BEGIN, END = "STEPS[[[", "]]]STEPS"
WAIT_S: Final = 60.0
CHUNK: Final = 1024 * 1024


def show(raw: bytes) -> None:
    """Print bytes."""
    sys.stdout.buffer.write(raw)
    sys.stdout.buffer.flush()


def line(value: Any) -> None:
    """Print one value as a line."""
    show(json.dumps(value).encode() + b"\n")


def long_line(size: int) -> None:
    """Print one object of so many bytes, its end not counted, so that a write ends at its end."""
    head, tail = b'{"type": "say", "text": "', b'"}\n'
    left = size + 1 - len(head) - len(tail)
    show(head)
    while left > 0:
        show(b"x" * min(left, CHUNK))
        left -= CHUNK
    show(tail)


def close(value: Any) -> None:
    """Print the closing event: its text, or its fields."""
    fields = {"result": value} if isinstance(value, str) else value
    line({"type": "result", "is_error": False, **fields})


def shout(value: Mapping[str, Any]) -> None:
    """Write to standard error, over and over."""
    text = bytes.fromhex(value["hex"]) if "hex" in value else value["text"].encode()
    for _ in range(value.get("times", 1)):
        sys.stderr.buffer.write(text)
    sys.stderr.buffer.flush()


def hold(seconds: float) -> None:
    """Start a sleeper that holds the pipes."""
    subprocess.Popen(["sleep", str(seconds)])


def where() -> None:
    """Say what standard input is."""
    line({"type": "say", "text": os.readlink("/proc/self/fd/0")})


def flood(_: object) -> None:
    """Print without end."""
    while True:
        line({"type": "say", "text": "x" * 60_000})


def ignore(name: str) -> None:
    """Ignore a signal from now on."""
    signal.signal(signal.Signals[name], signal.SIG_IGN)


def wait_file(path: str) -> None:
    """Wait until a file is there."""
    until = time.monotonic() + WAIT_S
    while not Path(path).exists():
        if time.monotonic() > until:
            sys.exit(99)
        time.sleep(0.01)


def report(value: Mapping[str, Any]) -> None:
    """Report by the client, and print what was answered."""
    from subsession.client import Client

    line({"type": "answer", "answer": Client().call("subsession.report", dict(value))})


def checkpoint(value: Mapping[str, Any]) -> None:
    """Save a checkpoint by the client."""
    from subsession.client import Client

    Client().call("subsession.checkpoint", dict(value))


STEPS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "line": line,
    "raw": lambda text: show(text.encode()),
    "hex": lambda text: show(bytes.fromhex(text)),
    "say": lambda text: line({"type": "say", "text": text}),
    "long": long_line,
    "close": close,
    "stderr": shout,
    "sleep": time.sleep,
    "hold": hold,
    "where": lambda _: where(),
    "argv": lambda _: line({"type": "say", "text": repr(sys.argv[1:])}),
    "flood": flood,
    "ignore": ignore,
    "waitFile": wait_file,
    "touch": lambda path: Path(path).touch(),
    "report": report,
    "checkpoint": checkpoint,
    "closeOut": lambda _: os.close(1),
    "kill": lambda number: os.kill(os.getpid(), number),
    "exit": sys.exit,
}


def main() -> None:
    """Read everything, then play."""
    prompt = sys.stdin.buffer.read().decode() or sys.argv[-1]
    script = prompt.partition(BEGIN)[2].partition(END)[0]
    for step in json.loads(script or "[]"):
        for verb, value in step.items():
            STEPS[verb](value)


main()
