"""The environment of a child: an allow-list plus configuration, never the daemon's own.

A daemon is often started from inside an agent's session. What that session left in the environment
(its markers, its session ids, its keys) would make children refuse to start, act for somebody else
or see secrets that were never meant for them, so nothing is passed on that was not named.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

ALWAYS_ALLOWED: tuple[str, ...] = (
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TZ",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
)
"""What a program needs to find its user's files, language and certificates."""

HOST_MARKERS: tuple[str, ...] = (
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION*",
    "CLAUDE_CODE_SSE_PORT",
    "CODEX_SANDBOX*",
    "CODEX_THREAD_ID",
    "GEMINI_CLI",
    "QWEN_CODE",
    "OPENCODE",
    "OPENCODE_SESSION*",
    "OPENCODE_PID",
    "CURSOR_TRACE_ID",
    "CURSOR_AGENT",
    "COPILOT_SESSION*",
    "AGENT_SESSION_ID",
    "SUBSESSION_*",
)
"""Set by a host agent for its own children: not even a wide pattern of the allow-list passes them.

`extra` may still set one on purpose.
"""

_FIXED: tuple[tuple[str, str], ...] = (
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    # Why: nobody is there to answer a prompt; git has to fail with its own words instead.
    ("GIT_TERMINAL_PROMPT", "0"),
)

_DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"


def child_environment(
    base: Mapping[str, str],
    *,
    allow: tuple[str, ...],
    extra: Mapping[str, str],
    node_id: str,
    token: str,
    socket: str,
    bin_dir: str,
) -> tuple[tuple[str, str], ...]:
    """Build the whole environment of one child.

    Args:
        base: the environment of the daemon.
        allow: names, or patterns with `*`, that configuration lets through from `base`.
        extra: variables that configuration sets; they win over everything but our own four.
        node_id: the child's node, set as `SUBSESSION_NODE`.
        token: the child's token, set as `SUBSESSION_TOKEN`.
        socket: path of the daemon's socket, set as `SUBSESSION_SOCKET`.
        bin_dir: folder of the `subsession` command; it comes first on PATH.

    Returns:
        Pairs of name and value, sorted by name, each name once.
    """
    chosen = dict(_allowed(base, ALWAYS_ALLOWED + allow))
    chosen.update(_FIXED)
    chosen.setdefault("LANG", "C.UTF-8")
    chosen.update(extra)
    path = _path_of(base, extra)
    chosen["PATH"] = os.pathsep.join((bin_dir, path)) if bin_dir else path
    chosen["SUBSESSION_NODE"] = node_id
    chosen["SUBSESSION_TOKEN"] = token
    chosen["SUBSESSION_SOCKET"] = socket
    return tuple(sorted(chosen.items()))


def find_program(name: str, base: Mapping[str, str], extra: Mapping[str, str]) -> str:
    """Find a program where a child would.

    Args:
        name: The first word of a command line.
        base: The environment of the daemon.
        extra: Variables that configuration sets.

    Returns:
        Its absolute path; empty where there is none that may be run.
    """
    return shutil.which(name, path=_path_of(base, extra)) or ""


def _path_of(base: Mapping[str, str], extra: Mapping[str, str]) -> str:
    return extra.get("PATH") or base.get("PATH") or _DEFAULT_PATH


def _allowed(base: Mapping[str, str], allow: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for name, value in base.items():
        if _matches(name, allow) and not _matches(name, HOST_MARKERS) and _is_text(value):
            yield name, value


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _is_text(value: str) -> bool:
    # Why: odd locale settings reach us as surrogates; a child is better off without them.
    return value.isprintable() or "\n" in value or "\t" in value
