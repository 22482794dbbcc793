"""The seven clients: where each keeps its settings, and which lines of ours belong there.

A table of facts, each as its client's own documentation has it; those marked `tried` were also
seen to work. It reads no file but to see which of several is there.
"""

import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

NAME: Final = "subsession"
"""Ours among the servers of a client."""

HOOK_S: Final = 10
"""How long a client waits for the hook at most; it takes a tenth of a second."""

_PASSED: Final = ["SUBSESSION_SOCKET", "SUBSESSION_STATE_DIR", "XDG_RUNTIME_DIR", "XDG_STATE_HOME"]
"""What leads to the daemon, of an environment that Codex keeps to itself."""


class Scope(StrEnum):
    """For whom."""

    USER = "user"
    PROJECT = "project"


class What(StrEnum):
    """What some lines are."""

    SERVER = "server"
    HOOK = "hook"


@dataclass(frozen=True, slots=True)
class Where:
    """What places and lines depend on."""

    home: Path
    environ: Mapping[str, str]
    project: Path
    launcher: tuple[str, ...]
    """The words that start `subsession`."""
    options: tuple[str, ...] = ()
    """What leads to another daemon than the user's own."""
    is_mac: bool = sys.platform == "darwin"

    def config(self, name: str) -> Path:
        """Give a client's folder among those of the user's configuration."""
        return Path(self.environ.get("XDG_CONFIG_HOME") or self.home / ".config") / name

    def named(self, variable: str, otherwise: str) -> Path:
        """Give a folder that a variable may name, else one below the user's home."""
        return Path(self.environ.get(variable) or self.home / otherwise)

    def server(self, *more: str) -> dict[str, Any]:
        """Give command and arguments of our MCP server."""
        return {
            "command": self.launcher[0],
            "args": [*self.launcher[1:], "mcp", *self.options, *more],
        }

    @property
    def hook(self) -> str:
        """Give the command line of our hook, for a shell."""
        return shlex.join((*self.launcher, "hook", "stop", *self.options))


@dataclass(frozen=True, slots=True)
class Lines:
    """What belongs into one place of one file."""

    what: What
    file: Path
    path: tuple[str, ...]
    value: dict[str, Any]
    is_entry: bool = False
    """Whether the path is that of a list, in which the value is one entry."""
    beside: tuple[tuple[str, Any], ...] = ()
    """Members of the document without which the file does not count; set where missing."""

    @property
    def is_toml(self) -> bool:
        """Whether the file is TOML; else it is JSON with comments."""
        return self.file.suffix == ".toml"


@dataclass(frozen=True, slots=True)
class Client:
    """One client."""

    name: str
    title: str
    binaries: tuple[str, ...]
    folder: Callable[[Where], Path]
    """Its own, by which it is seen that it was used here."""
    lines: Callable[[Where, Scope], tuple[Lines, ...]]
    tried: bool = False
    """Whether it was run with these lines, and not only looked up."""
    next_step: str = ""
    """What is left for the person to do."""
    without_hook: str = ""
    """Why there is no hook."""


def _server(file: Path, path: tuple[str, ...], value: dict[str, Any]) -> Lines:
    return Lines(What.SERVER, file, (*path, NAME), value)


def _grouped_hook(where: Where, event: str, file: Path, timeout: int = HOOK_S) -> Lines:
    """Give the hook as those write it who group hooks by what they match."""
    command = {"type": "command", "command": where.hook, "timeout": timeout}
    return Lines(What.HOOK, file, ("hooks", event), {"hooks": [command]}, is_entry=True)


def _claude(where: Where, scope: Scope) -> tuple[Lines, ...]:
    if scope is Scope.PROJECT:
        servers, settings = where.project / ".mcp.json", where.project / ".claude/settings.json"
    else:
        settings = _claude_folder(where) / "settings.json"
        own = where.environ.get("CLAUDE_CONFIG_DIR")
        servers = (Path(own) if own else where.home) / ".claude.json"
    server = {"type": "stdio", **where.server()}
    return (
        _server(servers, ("mcpServers",), server),
        _grouped_hook(where, "Stop", settings),
    )


def _claude_folder(where: Where) -> Path:
    return where.named("CLAUDE_CONFIG_DIR", ".claude")


def _codex(where: Where, scope: Scope) -> tuple[Lines, ...]:
    folder = where.project / ".codex" if scope is Scope.PROJECT else _codex_folder(where)
    server = {**where.server(), "env_vars": _PASSED}
    return (
        _server(folder / "config.toml", ("mcp_servers",), server),
        _grouped_hook(where, "Stop", folder / "hooks.json"),
    )


def _codex_folder(where: Where) -> Path:
    return where.named("CODEX_HOME", ".codex")


def _gemini(where: Where, scope: Scope) -> tuple[Lines, ...]:
    folder = where.project / ".gemini" if scope is Scope.PROJECT else _gemini_folder(where)
    file = folder / "settings.json"
    return (
        _server(file, ("mcpServers",), where.server()),
        _grouped_hook(where, "AfterAgent", file, HOOK_S * 1_000),
    )


def _gemini_folder(where: Where) -> Path:
    return where.home / ".gemini"


def _opencode(where: Where, scope: Scope) -> tuple[Lines, ...]:
    folder = where.project if scope is Scope.PROJECT else where.config("opencode")
    names = ("opencode.jsonc", "opencode.json")
    file = next((folder / name for name in names if (folder / name).exists()), folder / names[1])
    server = where.server()
    command = [server["command"], *server["args"]]
    value = {"type": "local", "command": command, "enabled": True}
    return (_server(file, ("mcp",), value),)


def _cursor(where: Where, scope: Scope) -> tuple[Lines, ...]:
    folder = (where.project if scope is Scope.PROJECT else where.home) / ".cursor"
    server = {"type": "stdio", **where.server("--workspace", "${workspaceFolder}")}
    hook = {"command": where.hook, "timeout": HOOK_S, "loop_limit": 5}
    return (
        _server(folder / "mcp.json", ("mcpServers",), server),
        Lines(
            What.HOOK,
            folder / "hooks.json",
            ("hooks", "stop"),
            hook,
            is_entry=True,
            beside=(("version", 1),),
        ),
    )


def _vscode(where: Where, scope: Scope) -> tuple[Lines, ...]:
    if scope is Scope.PROJECT:
        servers = where.project / ".vscode/mcp.json"
        hooks = where.project / ".github/hooks/subsession.json"
    else:
        servers = _vscode_folder(where) / "User/mcp.json"
        hooks = where.home / ".copilot/hooks/subsession.json"
    server = {"type": "stdio", **where.server("--workspace", "${workspaceFolder}")}
    hook = {"type": "command", "command": where.hook, "timeout": HOOK_S}
    return (
        _server(servers, ("servers",), server),
        Lines(What.HOOK, hooks, ("hooks", "Stop"), hook, is_entry=True),
    )


def _vscode_folder(where: Where) -> Path:
    if where.is_mac:
        return where.home / "Library/Application Support/Code"
    return where.config("Code")


def _zed(where: Where, scope: Scope) -> tuple[Lines, ...]:
    folder = where.project / ".zed" if scope is Scope.PROJECT else _zed_folder(where)
    return (_server(folder / "settings.json", ("context_servers",), where.server()),)


def _zed_folder(where: Where) -> Path:
    return where.home / ".config/zed" if where.is_mac else where.config("zed")


CLIENTS: Final = (
    Client(
        "claude",
        "Claude Code",
        ("claude",),
        _claude_folder,
        _claude,
        tried=True,
        next_step="in a session that runs: /mcp reconnects; a project's servers it asks about once",
    ),
    Client(
        "codex",
        "Codex",
        ("codex",),
        _codex_folder,
        _codex,
        tried=True,
        next_step="Codex runs a new hook once you have looked at it: type /hooks",
    ),
    Client("gemini", "Gemini CLI", ("gemini",), _gemini_folder, _gemini, tried=True),
    Client(
        "opencode",
        "opencode",
        ("opencode",),
        lambda where: where.config("opencode"),
        _opencode,
        tried=True,
        without_hook="opencode has no hook that keeps a turn from ending",
    ),
    Client("cursor", "Cursor", ("cursor", "cursor-agent"), lambda w: w.home / ".cursor", _cursor),
    Client("vscode", "VS Code", ("code",), _vscode_folder, _vscode),
    Client(
        "zed",
        "Zed",
        ("zed", "zeditor"),
        _zed_folder,
        _zed,
        without_hook="Zed has no hooks",
    ),
)


def client_named(name: str) -> Client:
    """Give the client of a name that is in the table."""
    return next(client for client in CLIENTS if client.name == name)
