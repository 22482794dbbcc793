"""Our MCP servers: how soon they answer and what they hold, beside an interpreter.

One is a child's (`shim`), the other that of a person's own agent (`bridge`), which has a root.
"""

import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from scripts.measure.daemons import QuietDaemon
from scripts.measure.processes import rss_kib
from scripts.measure.table import Row, Scale, in_turns, limited, timed_ms
from subsessiond.parts import shim_command
from tests.support.daemon import Daemon

ROUNDS = 20
HELLO = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n'
SAY = "import os; os.write(1, os.read(0, 99)); os.read(0, 1)"


@dataclass(frozen=True, slots=True)
class Server:
    """One of them, and what it must reach."""

    name: str
    what: str
    note: str
    command: Callable[[Daemon], tuple[str, ...]]
    bare: tuple[str, ...]
    """An interpreter as the server starts one."""
    start_ms: float
    memory_mib: float
    env: Mapping[str, str] | None = None
    """None = this process's own."""


def bridge_command(daemon: Daemon) -> tuple[str, ...]:
    """Give the command line that stands in an agent's configuration."""
    program = Path(sys.executable).with_name("subsession")
    options = ("--socket", str(daemon.socket), "--workspace", str(daemon.workspace))
    return (str(program), "mcp", *options)


SERVERS = (
    Server(
        name="shim",
        what="MCP server of a child, first answer",
        note="from its start to the answer to initialize; the ceiling is python -I -S -c pass",
        command=lambda daemon: shim_command(daemon.socket),
        bare=(sys.executable, "-I", "-S", "-c"),
        start_ms=100.0,
        memory_mib=15.0,
        env={},
    ),
    Server(
        name="bridge",
        what="MCP server of an agent, first answer",
        note="from its start to the answer to initialize, with its root; ceiling: python -c pass",
        command=bridge_command,
        bare=(sys.executable, "-c"),
        start_ms=150.0,
        memory_mib=25.0,
    ),
)
ROWS = tuple(f"{server.name}-{what}" for server in SERVERS for what in ("start", "memory"))


def measure(scale: Scale) -> list[Row]:
    """Measure start and memory on a daemon with nothing to do, which is up."""
    with QuietDaemon() as daemon:
        return [row for server in SERVERS for row in _rows(scale, server, daemon)]


def _rows(scale: Scale, server: Server, daemon: Daemon) -> list[Row]:
    took = in_turns(
        scale.few if scale.quick else ROUNDS,
        ours=lambda: timed_ms(lambda: _answer(server, server.command(daemon))),
        ceiling=lambda: timed_ms(lambda: subprocess.run([*server.bare, "pass"], check=True)),
    )
    ours, bare = (
        _resident_mib(server, argv) for argv in (server.command(daemon), (*server.bare, SAY))
    )
    aims = f"≤ {server.start_ms:.0f} ms", f"≤ {server.memory_mib:.0f} MiB"
    start = Row(f"{server.name}-start", server.what, aims[0], "ms", note=server.note)
    memory = Row(f"{server.name}-memory", "  resident memory", aims[1], "MiB")
    return [
        limited(start, median(took["ours"]), server.start_ms, median(took["ceiling"])),
        limited(memory, ours, server.memory_mib, bare),
    ]


def _start(server: Server, argv: tuple[str, ...]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=server.env)


def _ask(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(HELLO)
    process.stdin.flush()
    if not process.stdout.readline():
        raise RuntimeError("the server gave no answer")


def _answer(server: Server, argv: tuple[str, ...]) -> None:
    """Start a server and wait for its first answer."""
    with _start(server, argv) as process:
        _ask(process)
        process.communicate()


def _resident_mib(server: Server, argv: tuple[str, ...]) -> float:
    """Give the memory of one that has answered."""
    with _start(server, argv) as process:
        _ask(process)
        found = rss_kib(process.pid) / 1_024
        process.communicate()
    return found
