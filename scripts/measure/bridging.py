"""The MCP server of a person's own agent: how soon it answers and what it holds."""

import subprocess
import sys
from pathlib import Path
from statistics import median

from scripts.measure.daemons import QuietDaemon
from scripts.measure.processes import rss_kib
from scripts.measure.table import Row, Scale, in_turns, limited, timed_ms
from tests.support.daemon import Daemon

ROWS = ("bridge-start", "bridge-memory")
START_MS = 150.0
MEMORY_MIB = 25.0
ROUNDS = 20
HELLO = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n'
BARE = (sys.executable, "-c")


def measure(scale: Scale) -> list[Row]:
    """Measure start and memory on a daemon with nothing to do, which is up."""
    with QuietDaemon() as daemon:
        took = in_turns(
            scale.few if scale.quick else ROUNDS,
            ours=lambda: timed_ms(lambda: _answer(daemon)),
            ceiling=lambda: timed_ms(lambda: subprocess.run([*BARE, "pass"], check=True)),
        )
        ours, bare = _resident_mib(daemon)
    start = Row(
        ROWS[0],
        "MCP server of an agent, first answer",
        f"≤ {START_MS:.0f} ms",
        "ms",
        note="from its start to the answer to initialize, with its root; ceiling: python -c pass",
    )
    memory = Row(ROWS[1], "  resident memory", f"≤ {MEMORY_MIB:.0f} MiB", "MiB")
    return [
        limited(start, median(took["ours"]), START_MS, median(took["ceiling"])),
        limited(memory, ours, MEMORY_MIB, bare),
    ]


def _command(daemon: Daemon) -> tuple[str, ...]:
    """Give the command line that stands in an agent's configuration."""
    program = Path(sys.executable).with_name("subsession")
    options = ("--socket", str(daemon.socket), "--workspace", str(daemon.workspace))
    return (str(program), "mcp", *options)


def _start(argv: tuple[str, ...]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _ask(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(HELLO)
    process.stdin.flush()
    if not process.stdout.readline():
        raise RuntimeError("the server gave no answer")


def _answer(daemon: Daemon) -> None:
    """Start a server and wait for its first answer."""
    with _start(_command(daemon)) as process:
        _ask(process)
        process.communicate()


def _resident_mib(daemon: Daemon) -> tuple[float, float]:
    """Give the memory of a server that has answered, and of an interpreter that has."""
    found = []
    say = "import os; os.write(1, os.read(0, 99)); os.read(0, 1)"
    for argv in (_command(daemon), (*BARE, say)):
        with _start(argv) as process:
            _ask(process)
            found.append(rss_kib(process.pid) / 1_024)
            process.communicate()
    ours, bare = found
    return ours, bare
