"""The `subsession` command."""

import os
import re
import sys
from collections.abc import Sequence

from subsession.cli import (
    attach,
    blocked,
    completion,
    daemon,
    doctor,
    exits,
    hook,
    install,
    logs,
    mcp,
    plan,
    read,
    roles,
    say,
    spawn,
    stats,
    stop,
    wait,
    watch,
)
from subsession.cli.arguments import Verbs
from subsession.cli.session import Session, UsageProblem
from subsession.cli.voice import Voice, stdout_voice
from subsession.errors import (
    Misused,
    ProtocolMismatch,
    Refused,
    StartFailed,
    SubsessionError,
    Unanswered,
    Unreachable,
)
from subsession.text import one_line
from subsession.verbs import Json
from subsessiond import __version__

ABOUT = "Delegate work to child sessions, see all of them, and decide what only you can decide."


def main(argv: Sequence[str] | None = None) -> int:
    """Do what the words say and give the exit code.

    Args:
        argv: the words after the program's name; absent: this process's.
    """
    given, command = _split(list(sys.argv[1:] if argv is None else argv))
    words, unknown = build_verbs().parser.parse_known_args(given)
    if unknown:
        words.parser.error(_not_understood(words.verb, unknown))
    words.command = command
    voice = stdout_voice(as_json=words.json)
    session = Session(words, voice)
    try:
        return int(words.run(session))
    except UsageProblem as problem:
        voice.trouble(str(problem), {"code": "USAGE", "message": str(problem)})
        return exits.USAGE
    except SubsessionError as fault:
        return _tell(fault, voice)
    except KeyboardInterrupt:
        return exits.INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return exits.BROKEN_PIPE
    finally:
        session.close()


def _split(given: list[str]) -> tuple[list[str], list[str]]:
    """Split off what `run` or `attach` shall run: all behind the first `--`."""
    if "--" in given and {"run", "attach"} & {*given[: given.index("--")]}:
        at = given.index("--")
        return given[:at], given[at + 1 :]
    return given, []


def _not_understood(verb: str, unknown: list[str]) -> str:
    """Say which words mean nothing, and where a command belongs."""
    found = one_line(" ".join(unknown))
    if verb in ("run", "attach"):
        words = "run" if verb == "run" else "attach NODE"
        return f"{found!r} is no option; the command comes behind --: subsession {words} -- {found}"
    return f"not understood: {found}"


def build_verbs() -> Verbs:
    """Give the parser with all verbs."""
    verbs = Verbs("subsession", __version__, ABOUT)
    watching = (watch, read, logs, stats, wait, blocked)
    modules = (
        daemon,
        roles,
        spawn,
        plan,
        *watching,
        stop,
        attach,
        say,
        install,
        mcp,
        hook,
        doctor,
        completion,
    )
    for module in modules:
        module.add(verbs)
    return verbs


def _tell(fault: SubsessionError, voice: Voice) -> int:
    """Say what went wrong and give its exit code."""
    voice.trouble(str(fault), as_document(fault))
    if isinstance(fault, Refused | Misused):
        return exits.REFUSED
    if isinstance(fault, Unreachable | StartFailed | ProtocolMismatch | Unanswered):
        return exits.UNREACHABLE
    return exits.BUG


def as_document(fault: SubsessionError) -> Json:
    """Give a fault as the JSON document that stands for it."""
    if isinstance(fault, Refused):
        fields = fault.refusal._asdict()
        return {key: value for key, value in fields.items() if value not in (None, (), "")}
    code = re.sub(r"(?<!^)(?=[A-Z])", "_", type(fault).__name__).upper()
    return {"code": code, "message": str(fault)}


def _drop_output() -> None:
    """Send what is still buffered nowhere: its reader has left."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
