"""`attach`: the agent that a person runs becomes the child that waits for it."""

import os
import shutil
import signal
import sys
import tempfile
from typing import Any, NoReturn

from subsession.cli import exits
from subsession.cli.arguments import Verbs
from subsession.cli.session import SHORT, Session, UsageProblem
from subsession.text import block, cut, one_line
from subsession.verbs import Json

BRIEF = "{brief}"
_WORD_BYTES = 128 * 1024 - 1
"""The longest word of a command line that Linux takes."""

_NOTE = """\
With -- CMD the command becomes the child: it is started here, in the child's workspace, and stays
yours to end. In its words {brief} stands for what it is to do; --stdin gives that on its standard
input; with neither it is printed first. Without a command nothing is attached, and what the child
is to do is shown.
An agent that runs already attaches itself by `subsession attach NODE --above` in its own shell."""


def add(verbs: Verbs) -> None:
    """Add the verb."""
    parser = verbs.add(
        "attach", attach, "make an agent that you run the child that waits for it", _NOTE
    )
    parser.add_argument("node", nargs="?", metavar="NODE", help="default: whose process this is")
    parser.add_argument("--stdin", action="store_true", help="give CMD the brief as its input")
    parser.add_argument(
        "--above", action="store_true", help="attach the agent whose shell runs this"
    )
    parser.usage = "subsession attach [options] NODE [-- CMD ...]"


def attach(session: Session) -> int:
    """Attach a command, or the agent above, or show what is to be done."""
    words = session.words
    if words.node is None and not session.in_node:
        raise UsageProblem("say which child: `subsession blocked` lists those that wait")
    if words.above and (words.command or words.stdin):
        raise UsageProblem("--above attaches an agent that runs already: it goes without CMD")
    if words.stdin and not words.command:
        raise UsageProblem("--stdin is for a command: subsession attach NODE --stdin -- CMD")
    node_id = session.node_id(words.node) if words.node else None
    if words.command:
        _become(session, node_id)
    if words.above:
        found = session.client.attach(node_id, above=True)
        session.voice.answer(_without_token(found), block(str(found["opening"])))
        return exits.OK
    found = session.client.attach(node_id, checkOnly=True)
    how = "" if session.in_node else _how(found)
    session.voice.answer(found, f"{block(str(found['opening']))}{how}")
    return exits.OK


def _how(found: Json) -> str:
    """Say how to go on, where the one who reads this is a person."""
    short = one_line(str(found["nodeId"]))[-SHORT:]
    return (
        f"\n\nnothing is attached yet; next:\n"
        f"  subsession attach {short} -- CMD       start your agent as this child\n"
        f"  subsession attach {short} --above      typed by an agent that runs already"
    )


def _without_token(found: Json) -> Json:
    """Leave out what is for an environment, and this process gives nobody one."""
    return {key: value for key, value in found.items() if key != "token"}


def _become(session: Session, node_id: str | None) -> NoReturn:
    """Turn this process into the command, as the child.

    Why everything is looked at before: once attached, a command that cannot run has failed.
    """
    words = session.words
    look = session.client.attach(node_id, checkOnly=True)
    opening = str(look["opening"])
    command = [word.replace(BRIEF, opening) for word in words.command]
    program = _program(words.command[0])
    if any(len(os.fsencode(word)) > _WORD_BYTES for word in command):
        raise UsageProblem("the brief is too long for one word of a command; use --stdin")
    placed = words.stdin or command != words.command
    found = session.client.attach(str(look["nodeId"]))
    if not placed:
        session.voice.note(opening)
    session.close()
    if words.stdin:
        _give_input(opening)
    _run(program, command, found)


def _program(name: str) -> str:
    """Find a program as a shell would.

    Raises:
        UsageProblem: there is none.
    """
    found = shutil.which(name)
    if found is None:
        raise UsageProblem(f"there is no program {cut(name, 60)!r} to run; nothing was attached")
    return os.path.abspath(found)  # noqa: PTH100  # resolves no links, as a shell does not


def _give_input(text: str) -> None:
    """Make a text the standard input of this process."""
    with tempfile.TemporaryFile() as file:
        file.write(text.encode())
        file.seek(0)
        os.dup2(file.fileno(), sys.stdin.fileno() if sys.stdin is not None else 0)


def _run(program: str, command: list[str], found: Json) -> NoReturn:
    env = {
        **os.environ,
        "SUBSESSION_NODE": str(found["nodeId"]),
        "SUBSESSION_SOCKET": str(found["socket"]),
    }
    if found.get("token"):
        env["SUBSESSION_TOKEN"] = str(found["token"])
    if shutil.which("subsession") is None:  # so that the child's shell finds it
        env["PATH"] = f"{env.get('PATH', os.defpath)}:{os.path.dirname(sys.executable)}"  # noqa: PTH120
    os.chdir(str(found["workspace"]))
    # Why: Python ignores these, and a program would inherit that.
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    _flush()
    try:
        os.execve(program, command, env)  # noqa: S606  # the very command a person typed
    except OSError as fault:
        why = f"{cut(program, 60)} cannot run ({fault.strerror}); the child has failed by it"
        raise UsageProblem(why) from fault


def _flush() -> None:
    streams: tuple[Any, ...] = (sys.stdout, sys.stderr)
    for stream in streams:
        stream.flush()
