"""From nothing to an answer: the daemon's start with warm files, and the command line."""

import subprocess
import sys
from pathlib import Path
from statistics import median

from scripts.measure.daemons import QuietDaemon, environment, pid_of, until_answer_ms
from scripts.measure.processes import cpu_ms
from scripts.measure.table import Row, Scale, in_turns, limited, timed_ms
from tests.support.daemon import Daemon

ROWS = ("daemon-start", "tree-command", "hook-command")
START_MS = 600.0
TREE_MS = 200.0
HOOK_MS = 150.0
END = b'{"hook_event_name": "Stop", "stop_hook_active": false}'


def measure(scale: Scale) -> list[Row]:
    """Measure all, beside an interpreter that does nothing."""
    with Daemon() as plain:  # this first start writes the bytecode and makes the state directory
        start = _start(scale, plain)
    with QuietDaemon() as daemon:
        return [start, _tree(scale, daemon), _hook(scale, daemon)]


def _start(scale: Scale, daemon: Daemon) -> Row:
    cpu: list[float] = []

    def ours() -> float:
        daemon.stop()
        took = until_answer_ms(daemon)
        cpu.append(cpu_ms(pid_of(daemon)))
        return took

    found = in_turns(scale.few, ceiling=_interpreter_ms, ours=ours)
    note = f"processor time {median(cpu):.0f} ms, best {min(found['ours']):.0f} ms"
    row = Row(ROWS[0], "daemon, start to first answer", f"≤ {START_MS:.0f} ms", "ms", note=note)
    return limited(row, median(found["ours"]), START_MS, median(found["ceiling"]))


def _tree(scale: Scale, daemon: QuietDaemon) -> Row:
    with daemon.client() as client:
        daemon.hire(client, 5)
    order = [str(Path(sys.executable).parent / "subsession"), "tree"]
    given = environment(daemon)

    def ours() -> float:
        return timed_ms(lambda: subprocess.run(order, env=given, check=True, capture_output=True))

    ours()
    found = in_turns(3 * scale.few, ceiling=_interpreter_ms, ours=ours)
    note = f"best {min(found['ours']):.0f} ms"
    row = Row(ROWS[1], "`subsession tree`", f"≤ {TREE_MS:.0f} ms", "ms", note=note)
    return limited(row, median(found["ours"]), TREE_MS, median(found["ceiling"]))


def _hook(scale: Scale, daemon: QuietDaemon) -> Row:
    order = [str(Path(sys.executable).parent / "subsession"), "hook", "stop"]
    given = environment(daemon)

    def ours() -> float:
        return timed_ms(
            lambda: subprocess.run(order, input=END, env=given, check=True, capture_output=True)
        )

    ours()
    found = in_turns(3 * scale.few, ceiling=_interpreter_ms, ours=ours)
    note = f"an agent waits for it at the end of each turn; best {min(found['ours']):.0f} ms"
    row = Row(ROWS[2], "`subsession hook stop`", f"≤ {HOOK_MS:.0f} ms", "ms", note=note)
    return limited(row, median(found["ours"]), HOOK_MS, median(found["ceiling"]))


def _interpreter_ms() -> float:
    return timed_ms(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True))
