"""`completion`: what a shell needs to complete the words of `subsession`."""

import argparse
from collections.abc import Iterator
from functools import partial

from subsession.cli import exits
from subsession.cli.arguments import Verbs
from subsession.cli.session import Session

_SHELLS = ("bash", "zsh", "fish")

_NOTE = """\
Put it where your shell looks when it starts:
  bash   eval "$(subsession completion bash)"     in ~/.bashrc
  zsh    eval "$(subsession completion zsh)"      in ~/.zshrc, after compinit
  fish   subsession completion fish | source      in ~/.config/fish/config.fish"""


def add(verbs: Verbs) -> None:
    """Add the verb; it speaks of all verbs that there are when it runs."""
    show = partial(show_script, verbs.parser)
    parser = verbs.add("completion", show, "print a script that completes these words", _NOTE)
    parser.add_argument("shell", choices=_SHELLS)


def show_script(parser: argparse.ArgumentParser, session: Session) -> int:
    """Print the script for one shell."""
    import shtab  # only here: every other verb starts without it

    for action in _actions(parser):
        if action.metavar in ("FILE", "PATH"):
            action.complete = shtab.FILE  # type: ignore[attr-defined]  # where shtab looks
        elif action.metavar == "DIR" or action.dest == "folder":
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]  # as above
    script = shtab.complete(parser, session.words.shell)
    session.voice.answer({"shell": session.words.shell, "script": script}, script)
    return exits.OK


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Give all options and arguments, those of verbs too."""
    for action in parser._actions:  # noqa: SLF001 -- argparse has no other way to ask
        yield action
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 -- as above
            for below in action.choices.values():
                yield from _actions(below)
