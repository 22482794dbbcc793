"""`python -m subsession.scripted FILE`: a child's process that plays a script, for tests and tours.

It says on standard error that it is scripted. A script is the JSON file that the daemon's own
runner `scripted` plays, `{"steps": [...]}`, each step an object with one key. Here it is played by
a real process, which speaks through the socket with its token:

report, checkpoint, spawn   parameters of those methods; a refusal is told on standard error
waitMail                    wait until so many messages came, and acknowledge them
write                       `{"path", "text"}`, a file below the current folder
pauseMs                     do nothing for so long
end                         `{"outcome", "diagnostic"}`: exit, with status 0 where it is completed
raise                       fail with this text

and does what only a process can do:

print, printError           a text, or `{"text", "times"}`, as it is, without an end of line
readStdin                   read standard input to its end
closeStdin                  close standard input
ignoreTerm                  ignore the signal that asks to leave
fork                        leave a process behind that sleeps: `{"ms", "newSession"}`
exit                        exit with this status; `{"signal"}` ends it by that signal

`sign`, `endTurn` and `awaitPrompt` exist inside the daemon alone; a script with one is refused.
"""

import json
import os
import secrets
import signal
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from subsession.client import Client
from subsession.errors import Refused, SubsessionError, Unanswered

USAGE = 2
FAILED = 1
WAIT_MS = 50_000

Play = Callable[["Agent", Any], int | None]
"""Plays one step; gives the exit status where that is the end."""


class BadScript(ValueError):
    """The file is no script for a process; says where and why."""


class Agent:
    """One script under way."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def play(self, steps: list[tuple[str, Any]]) -> int:
        """Play every step; gives the exit status."""
        for verb, value in steps:
            status = _VERBS[verb](self, value)
            if status is not None:
                return status
        return 0

    def say(self, method: str, params: dict[str, Any]) -> dict[str, Any] | None:
        """Call a method; a refusal is told and gives nothing.

        A call with a key is made once more where its answer was lost.
        """
        try:
            try:
                return self.client.call(method, params)
            except Unanswered:
                if "idempotencyKey" not in params:
                    raise
                return self.client.call(method, params)
        except Refused as refused:
            tell(f"refused: {refused}")
            return None

    def report(self, value: dict[str, Any]) -> None:
        """Report to the parent."""
        self.say("subsession.report", {"idempotencyKey": secrets.token_hex(8), **value})

    def checkpoint(self, value: dict[str, Any]) -> None:
        """Save a checkpoint."""
        self.say("subsession.checkpoint", value)

    def spawn(self, value: dict[str, Any]) -> None:
        """Start a child of its own."""
        self.say("subsession.spawn", {"idempotencyKey": secrets.token_hex(8), **value})

    def wait_mail(self, value: int) -> None:
        """Wait for so many messages, and acknowledge them."""
        read: list[str] = []
        while len(read) < value:
            page = self.client.inbox(wait_ms=WAIT_MS)
            came = [str(message["messageId"]) for message in page["messages"]]
            if came:
                self.client.inbox(acknowledge=came)
            read += came

    def write(self, value: dict[str, str]) -> None:
        """Write a file."""
        path = Path(value["path"])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value.get("text", ""), "utf-8")

    def pause(self, value: int) -> None:
        """Do nothing for a while."""
        time.sleep(value / 1_000)

    def end(self, value: dict[str, str]) -> int:
        """Exit by the outcome."""
        if value.get("diagnostic"):
            tell(value["diagnostic"])
        return 0 if value.get("outcome", "failed") == "completed" else FAILED

    def fail(self, value: str) -> int:
        """Fail as a broken program does."""
        raise RuntimeError(value)

    def print(self, value: Any) -> None:
        """Print to standard output."""
        _print(1, value)

    def print_error(self, value: Any) -> None:
        """Print to standard error."""
        _print(2, value)

    def read_stdin(self, _: object) -> None:
        """Read the input to its end."""
        while os.read(0, 65_536):
            pass

    def close_stdin(self, _: object) -> None:
        """Close the input, read or not."""
        os.close(0)

    def ignore_term(self, _: object) -> None:
        """Stay when asked to leave."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)

    def fork(self, value: dict[str, Any]) -> None:
        """Leave a process behind, which holds what this one holds."""
        if os.fork():
            return
        if value.get("newSession"):
            os.setsid()
        time.sleep(value.get("ms", 600_000) / 1_000)
        os._exit(0)

    def exit(self, value: Any) -> int:
        """Exit, or end by a signal."""
        if isinstance(value, dict):
            os.kill(os.getpid(), int(value["signal"]))
            signal.pause()
        return int(value)


_VERBS: Final[Mapping[str, Play]] = MappingProxyType(
    {
        "report": Agent.report,
        "checkpoint": Agent.checkpoint,
        "spawn": Agent.spawn,
        "waitMail": Agent.wait_mail,
        "write": Agent.write,
        "pauseMs": Agent.pause,
        "end": Agent.end,
        "raise": Agent.fail,
        "print": Agent.print,
        "printError": Agent.print_error,
        "readStdin": Agent.read_stdin,
        "closeStdin": Agent.close_stdin,
        "ignoreTerm": Agent.ignore_term,
        "fork": Agent.fork,
        "exit": Agent.exit,
    },
)
_SHAPES: Final[Mapping[str, tuple[type, ...]]] = MappingProxyType(
    {
        **dict.fromkeys(("report", "checkpoint", "spawn", "write", "end", "fork"), (dict,)),
        **dict.fromkeys(("waitMail", "pauseMs"), (int,)),
        **dict.fromkeys(("print", "printError"), (str, dict)),
        "raise": (str,),
        "exit": (int, dict),
    },
)
_INSIDE: Final = ("sign", "endTurn", "awaitPrompt")


def _print(descriptor: int, value: Any) -> None:
    """Write a text, or one many times, past every buffer of this program."""
    text, times = (value["text"], value.get("times", 1)) if isinstance(value, dict) else (value, 1)
    data = memoryview(text.encode(errors="surrogateescape") * times)
    while data:
        data = data[os.write(descriptor, data) :]


def tell(words: str) -> None:
    """Say something on standard error, in this program's name."""
    print(f"subsession.scripted: {words}", file=sys.stderr, flush=True)  # noqa: T201


def read_steps(text: bytes) -> list[tuple[str, Any]]:
    """Check a script whole before anything of it is played.

    Raises:
        BadScript: says which step, counted from 1, and why.
    """
    try:
        script = json.loads(text)
    except ValueError as error:
        raise BadScript(f"it is no JSON: {error}") from None
    steps = script.get("steps") if isinstance(script, dict) else None
    if not isinstance(steps, list):
        raise BadScript('it has no list of "steps"')
    return [_step(number, step) for number, step in enumerate(steps, 1)]


def _step(number: int, step: Any) -> tuple[str, Any]:
    if not isinstance(step, dict) or len(step) != 1:
        raise BadScript(f"step {number} must be an object with one key")
    ((verb, value),) = step.items()
    if verb in _INSIDE:
        raise BadScript(f"step {number}: {verb} exists inside the daemon alone")
    if verb not in _VERBS:
        raise BadScript(f"step {number}: there is no step {verb!r}")
    shapes = _SHAPES.get(verb)
    if shapes is not None and (not isinstance(value, shapes) or isinstance(value, bool)):
        raise BadScript(f"step {number} ({verb}): its value has the wrong type")
    return verb, value


def main(words: list[str]) -> int:
    """Play the file that is named; gives the exit status."""
    if len(words) != 1:
        tell("usage: python -m subsession.scripted FILE")
        return USAGE
    tell(f"this is no model: it plays {words[0]}")
    try:
        steps = read_steps(Path(words[0]).read_bytes())
    except (OSError, BadScript) as fault:
        tell(f"{words[0]} cannot be played: {fault}")
        return USAGE
    with Client() as client:
        try:
            return Agent(client).play(steps)
        except (SubsessionError, OSError) as fault:
            tell(str(fault))
            return FAILED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
