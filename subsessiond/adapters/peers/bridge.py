"""Finds the agent above an MCP bridge or `subsession attach`, past shells and launchers."""

from itertools import pairwise
from pathlib import PurePath
from typing import Final

from subsessiond.adapters.peers.proc import arguments_of
from subsessiond.model.peer import Spot

SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "fish", "ksh", "busybox"})
START_FILES: Final = frozenset({"--init-file", "--rcfile"})
"""Terminals of IDEs start an interactive shell with a file of their own."""

HOSTS: Final = frozenset(
    {"systemd", "init", "launchd", "tini", "dumb-init", "docker-init", "s6-svscan", "runsv"}
    | {"sshd", "sshd-session", "login", "cron", "crond", "tmux", "screen", "SCREEN"}
)
"""What holds a person's whole session, and takes in whoever lost its parent: nobody's agent."""

NODE_LAUNCHERS: Final = frozenset({"npx", "npm", "pnpm", "pnpx", "yarn", "yarnpkg", "bunx"})
PYTHON_LAUNCHERS: Final = frozenset({"uv", "uvx", "pipx", "poetry", "pdm", "hatch"})
LAUNCHERS: Final = NODE_LAUNCHERS | PYTHON_LAUNCHERS | {"corepack", "env", "timeout"}


def agent_above(line: tuple[Spot, ...]) -> Spot | None:
    """Name the agent that a bridge serves, or that attaches itself by its shell.

    Args:
        line: The process and its ancestors, itself first.

    Returns:
        The agent; where a person's shell is above it, or nothing any more, a bridge itself, so that
        its calls are still a root's, and otherwise none.
    """
    own = arguments_of(line[0].pid)
    if is_bridge(own):
        return _above(line) or line[0]
    return _above(line) if is_attaching(own) else None


def _above(line: tuple[Spot, ...]) -> Spot | None:
    for spot in line[1:]:
        words = arguments_of(spot.pid)
        if spot.pid == 1 or not words or is_plain_shell(words) or is_host(words):
            return None
        if not is_launcher(words):
            return spot
    return None


def is_bridge(words: tuple[str, ...]) -> bool:
    """Tell whether a command line is `subsession mcp`, through an interpreter or not."""
    names = [PurePath(word).name for word in words]
    by_name = any(one == "subsession" and two == "mcp" for one, two in pairwise(names))
    return by_name or "subsession.mcp" in words


def is_attaching(words: tuple[str, ...]) -> bool:
    """Tell whether a command line is `subsession attach`, through an interpreter or not."""
    names = [PurePath(word).name for word in words]
    return any(one == "subsession" and two == "attach" for one, two in pairwise(names))


def is_plain_shell(words: tuple[str, ...]) -> bool:
    """Tell whether a person may sit at it: a shell that was started for no command or script."""
    if _name(words[0]) not in SHELLS:
        return False
    if START_FILES & set(words):
        return True
    given = [word for word in words[1:] if word[0] not in "-+"]
    flags = [word for word in words[1:] if word[0] == "-" and word[:2] != "--"]
    return not given and not any("c" in flag for flag in flags)


def is_host(words: tuple[str, ...]) -> bool:
    """Tell whether a program holds a whole session, and is no agent."""
    return _name(words[0].partition(":")[0].split(" ")[0]) in HOSTS


def is_launcher(words: tuple[str, ...]) -> bool:
    """Tell whether a command line only starts another program."""
    if len(words) == 1:
        # Why: npm and npx write over theirs, and then it reads as one word such as `npm exec x`.
        words = tuple(words[0].split(" "))
    names = {_name(word) for word in (*words[:2], *_module(words))}
    return bool(names & LAUNCHERS) or _name(words[0]) in SHELLS


def _module(words: tuple[str, ...]) -> tuple[str, ...]:
    """Give the module that an interpreter was told to run."""
    return words[2:3] if words[1:2] == ("-m",) else ()


def _name(word: str) -> str:
    return PurePath(word).name.removeprefix("-")
